//! How long the axes of values are, node by node, as far as the graph says: what is not known is any length.
//!
//! The lengths that a model declares for its inputs are believed, as those of its weights are. Everything else follows from
//! them. Only operators of ONNX itself say something; where one does not, nothing is known behind it, not even how many axes
//! there are.

use prost::Message;

use super::attributes::Attributes;
use super::graph::{Graph, is_onnx_domain};
use super::messages::{NodeProto, TensorProto, TypeProto, ValueInfoProto};

/// The length of each axis; `None` where it is not known.
pub(super) type Shape = Box<[Option<u64>]>;

/// The elements of a short list of integers, which says a shape, axes or where a slice begins.
pub(super) type Integers = Box<[Option<i64>]>;

/// The most axes, and the most integers of a list, that are followed.
const MOST: usize = 16;

/// `INT32` and `INT64` among ONNX's element types.
const INTEGERS: [i32; 2] = [6, 7];

/// The shape that an input is declared to have.
pub(super) fn declared(input: &ValueInfoProto) -> Option<Shape> {
    let declared = TypeProto::decode(input.r#type.clone()?).ok()?;
    let axes = declared.tensor_type?.shape?.dim;
    let length = |length: Option<i64>| u64::try_from(length?).ok();
    (axes.len() <= MOST).then(|| axes.iter().map(|axis| length(axis.dim_value)).collect())
}

/// The shape of a weight or constant.
pub(super) fn of_tensor(tensor: &TensorProto) -> Option<Shape> {
    let lengths = tensor.dims.iter();
    (tensor.dims.len() <= MOST).then(|| lengths.map(|axis| u64::try_from(*axis).ok()).collect())
}

/// The elements of a constant list of integers, or of a single one.
pub(super) fn integers_of_tensor(tensor: &TensorProto) -> Option<Integers> {
    if !INTEGERS.contains(&tensor.data_type) || tensor.dims.len() > 1 {
        return None;
    }
    let elements = tensor.integers(MOST)?;
    Some(elements.into_iter().map(Some).collect())
}

/// The place of an axis that may be counted from the end.
pub(super) fn place(axis: i64, rank: usize) -> Option<usize> {
    let rank_as_integer = i64::try_from(rank).ok()?;
    let axis = if axis < 0 {
        axis.checked_add(rank_as_integer)?
    } else {
        axis
    };
    usize::try_from(axis).ok().filter(|axis| *axis < rank)
}

/// How many elements these axes hold together.
pub(super) fn product(axes: &[Option<u64>]) -> Option<u64> {
    axes.iter()
        .try_fold(1_u64, |product, axis| product.checked_mul((*axis)?))
}

/// The shape that a list of lengths says.
fn stated(lengths: &[Option<i64>]) -> Shape {
    let length = |length: &Option<i64>| u64::try_from((*length)?).ok();
    lengths.iter().map(length).collect()
}

/// The axes that a node names, as an attribute or as an input; `None` where it names none or they are not known.
pub(super) fn axes(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
    rank: usize,
) -> Option<Vec<usize>> {
    let given: Vec<i64> = match attributes.get("axes") {
        Some(axes) => axes.ints.clone(),
        None => {
            let axes = graph.integers(node.input.get(1)?)?;
            axes.iter().copied().collect::<Option<_>>()?
        }
    };
    if given.is_empty() {
        return None;
    }
    given.into_iter().map(|axis| place(axis, rank)).collect()
}

/// The shape of a node's first output.
pub(super) fn of_node(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
) -> Option<Shape> {
    if !is_onnx_domain(&node.domain) {
        return None;
    }
    let input = |index: usize| graph.shape(node.input.get(index)?);
    let list = |index: usize| graph.integers(node.input.get(index)?);
    let shape: Shape = match node.op_type.as_str() {
        // Element by element.
        "Identity"
        | "Cast"
        | "Relu"
        | "LeakyRelu"
        | "Elu"
        | "Selu"
        | "Celu"
        | "Clip"
        | "Sigmoid"
        | "HardSigmoid"
        | "HardSwish"
        | "Tanh"
        | "Erf"
        | "Exp"
        | "Log"
        | "Sqrt"
        | "Reciprocal"
        | "Neg"
        | "Abs"
        | "Floor"
        | "Ceil"
        | "Round"
        | "Sign"
        | "Sin"
        | "Cos"
        | "Softplus"
        | "Softsign"
        | "Gelu"
        | "Mish"
        | "Dropout"
        | "Not"
        | "Softmax"
        | "LogSoftmax"
        | "LayerNormalization"
        | "RMSNormalization"
        | "GroupNormalization"
        | "InstanceNormalization"
        | "BatchNormalization"
        | "LRN"
        | "LpNormalization"
        | "CumSum" => input(0)?.into(),
        // Before opset 7 the second operand was fitted to the first.
        "Add" | "Sub" | "Mul" | "Div" | "Pow"
            if attributes.get("broadcast").is_some() || attributes.get("axis").is_some() =>
        {
            input(0)?.into()
        }
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "PRelu" | "Max" | "Min" | "Sum"
        | "Mean" | "Where" | "Equal" | "Less" | "LessOrEqual" | "Greater" | "GreaterOrEqual"
        | "And" | "Or" | "Xor" => {
            let mut shapes = node.given_inputs().map(|name| graph.shape(name));
            let first: Shape = shapes.next()??.into();
            shapes.try_fold(first, |shape, other| Some(broadcast(&shape, other?)))?
        }
        // Products.
        "MatMul" => {
            let ([before @ .., rows, _], [other @ .., _, columns]) = (input(0)?, input(1)?) else {
                return None;
            };
            let around = broadcast(before, other);
            around.iter().chain([rows, columns]).copied().collect()
        }
        "Gemm" => {
            let ([rows, inner], [other_inner, columns]) = (input(0)?, input(1)?) else {
                return None;
            };
            let is_transposed = |name| attributes.integer(name, 0) != 0;
            let rows = if is_transposed("transA") { inner } else { rows };
            let columns = if is_transposed("transB") {
                other_inner
            } else {
                columns
            };
            [*rows, *columns].into()
        }
        "Conv" => {
            let ([batch, _, rest @ ..], [channels, ..]) = (input(0)?, input(1)?) else {
                return None;
            };
            spread(*batch, *channels, rest.len(), None)
        }
        "MaxPool" | "AveragePool" | "LpPool" => {
            let [batch, channels, rest @ ..] = input(0)? else {
                return None;
            };
            spread(*batch, *channels, rest.len(), None)
        }
        "GlobalMaxPool" | "GlobalAveragePool" | "GlobalLpPool" => {
            let [batch, channels, rest @ ..] = input(0)? else {
                return None;
            };
            spread(*batch, *channels, rest.len(), Some(1))
        }
        // Other shapes of the same elements.
        "Flatten" => {
            let shape = input(0)?;
            let axis = attributes.integer("axis", 1);
            let axis = place(axis, shape.len() + 1)?;
            let (before, behind) = shape.split_at_checked(axis)?;
            [product(before), product(behind)].into()
        }
        "Reshape" => reshaped(input(0), list(1)?, attributes.integer("allowzero", 0) != 0),
        "Expand" => broadcast(input(0)?, &stated(list(1)?)),
        "ConstantOfShape" => stated(list(0)?),
        "Transpose" => {
            let shape = input(0)?;
            match attributes.get("perm") {
                Some(order) if order.ints.len() == shape.len() => {
                    let axis = |axis: &i64| shape.get(place(*axis, shape.len())?).copied();
                    order.ints.iter().map(axis).collect::<Option<_>>()?
                }
                Some(_) => return None,
                None => shape.iter().rev().copied().collect(),
            }
        }
        "Squeeze" => {
            let shape = input(0)?;
            let axes = axes(graph, node, attributes, shape.len())?;
            without(shape, &axes)
        }
        "Unsqueeze" => {
            let shape = input(0)?;
            let given = match attributes.get("axes") {
                Some(axes) => axes.ints.len(),
                None => list(1)?.len(),
            };
            let rank = shape.len() + given;
            if rank > MOST {
                return None;
            }
            let axes = axes(graph, node, attributes, rank)?;
            let mut rest = shape.iter().copied();
            (0..rank)
                .map(|axis| match axes.contains(&axis) {
                    true => Some(Some(1)),
                    false => rest.next(),
                })
                .collect::<Option<_>>()?
        }
        // Parts and sums.
        "Concat" => {
            let mut shapes = node.given_inputs().map(|name| graph.shape(name));
            let mut whole: Shape = shapes.next()??.into();
            let axis = place(attributes.integer("axis", 1), whole.len())?;
            for shape in shapes {
                let length = whole.get_mut(axis)?;
                let sum = length.zip(*shape?.get(axis)?);
                *length = sum.and_then(|(one, other)| one.checked_add(other));
            }
            whole
        }
        "Split" => {
            let mut shape: Shape = input(0)?.into();
            let axis = place(attributes.integer("axis", 0), shape.len())?;
            *shape.get_mut(axis)? = None;
            shape
        }
        "Pad" => vec![None; input(0)?.len()].into(),
        "Slice" => sliced(graph, node, attributes, input(0)?),
        "Gather" => {
            let (data, indices) = (input(0)?, input(1)?);
            let axis = place(attributes.integer("axis", 0), data.len())?;
            let (before, behind) = data.split_at_checked(axis)?;
            let parts = before.iter().chain(indices).chain(behind.get(1..)?);
            parts.copied().collect()
        }
        "ReduceMax" | "ReduceMin" | "ReduceSum" | "ReduceMean" | "ReduceProd" | "ReduceL1"
        | "ReduceL2" | "ReduceSumSquare" | "ReduceLogSum" | "ReduceLogSumExp" => {
            let mut shape: Shape = input(0)?.into();
            let axes = axes(graph, node, attributes, shape.len())?;
            if attributes.integer("keepdims", 1) != 0 {
                for axis in axes {
                    *shape.get_mut(axis)? = Some(1);
                }
                shape
            } else {
                without(&shape, &axes)
            }
        }
        // Constants and shapes.
        "Constant" => match attributes.get("value") {
            Some(value) => of_tensor(value.t.as_ref()?)?,
            None if attributes.get("value_float").is_some() => [].into(),
            None if attributes.get("value_int").is_some() => [].into(),
            None => return None,
        },
        "Shape" if attributes.get("start").is_none() && attributes.get("end").is_none() => {
            [u64::try_from(input(0)?.len()).ok()].into()
        }
        _ => return None,
    };
    (shape.len() <= MOST).then_some(shape)
}

/// The integers of a node's first output, where it is a short list of them.
pub(super) fn integers_of_node(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
) -> Option<Integers> {
    let list = |index: usize| graph.integers(node.input.get(index)?);
    let integers: Integers = match node.onnx_operator()? {
        "Constant" => match attributes.get("value") {
            Some(value) => integers_of_tensor(value.t.as_ref()?)?,
            None => match attributes.get("value_ints") {
                Some(values) => values.ints.iter().copied().map(Some).collect(),
                None => [Some(attributes.get("value_int")?.i.unwrap_or_default())].into(),
            },
        },
        "Shape" if attributes.get("start").is_none() && attributes.get("end").is_none() => {
            let shape = graph.shape(node.input.first()?)?;
            let length = |length: &Option<u64>| i64::try_from((*length)?).ok();
            shape.iter().map(length).collect()
        }
        "Cast" if matches!(attributes.integer("to", 0), 6 | 7) => list(0)?.into(),
        "Identity" | "Unsqueeze" | "Squeeze" => list(0)?.into(),
        "Gather" if attributes.integer("axis", 0) == 0 => {
            let data = list(0)?;
            let element = |index: &Option<i64>| data.get(place((*index)?, data.len())?).copied();
            list(1)?.iter().map(element).collect::<Option<_>>()?
        }
        "Slice" => {
            let data = list(0)?;
            let (start, end) = whole_slice(graph, node, attributes)?;
            let length = i64::try_from(data.len()).ok()?;
            let within = |end: i64| {
                if end < 0 {
                    end.saturating_add(length)
                } else {
                    end
                }
            };
            let [start, end] = [start, end].map(|end| within(end).clamp(0, length) as usize);
            data.get(start..end.max(start))?.into()
        }
        "Concat" => {
            let mut all = Vec::new();
            for name in node.given_inputs() {
                // A single integer cannot be told from a list of one here, and Concat takes lists alone.
                all.extend_from_slice(graph.integers(name)?);
                if all.len() > MOST {
                    return None;
                }
            }
            all.into()
        }
        _ => return None,
    };
    (integers.len() <= MOST).then_some(integers)
}

/// The shape of two values that are taken together element by element: what has length 1 is repeated.
fn broadcast(one: &[Option<u64>], other: &[Option<u64>]) -> Shape {
    let (long, short) = if one.len() < other.len() {
        (other, one)
    } else {
        (one, other)
    };
    let missing = long.len() - short.len();
    let short = std::iter::repeat_n(&Some(1), missing).chain(short);
    let both = long.iter().zip(short);
    both.map(|(one, other)| match (*one, *other) {
        (Some(1), length) | (length, Some(1)) => length,
        // A length that is not known is the other one, or 1.
        (Some(length), _) | (None, Some(length)) => Some(length),
        (None, None) => None,
    })
    .collect()
}

/// Batch, channels and so many axes more.
fn spread(batch: Option<u64>, channels: Option<u64>, further: usize, length: Option<u64>) -> Shape {
    let further = std::iter::repeat_n(length, further);
    [batch, channels].into_iter().chain(further).collect()
}

fn without(shape: &[Option<u64>], axes: &[usize]) -> Shape {
    let kept = shape.iter().enumerate();
    kept.filter(|(axis, _)| !axes.contains(axis))
        .map(|(_, length)| *length)
        .collect()
}

/// The shape that `Reshape` gives: -1 is what is left over, and 0 the length that was there.
fn reshaped(input: Option<&[Option<u64>]>, wanted: &[Option<i64>], has_zeros: bool) -> Shape {
    let length = |(axis, wanted): (usize, &Option<i64>)| match *wanted {
        Some(0) if !has_zeros => *input?.get(axis)?,
        wanted => u64::try_from(wanted?).ok(),
    };
    let mut shape: Shape = wanted.iter().enumerate().map(length).collect();
    let rest: Vec<usize> = (0..wanted.len())
        .filter(|axis| wanted.get(*axis) == Some(&Some(-1)))
        .collect();
    if let ([axis], Some(elements)) = (rest.as_slice(), input.and_then(product)) {
        let others = product(&without(&shape, &[*axis])).filter(|others| *others > 0);
        let left = others.and_then(|others| elements.checked_div(others));
        if let Some(length) = shape.get_mut(*axis) {
            *length = left;
        }
    }
    shape
}

/// The shape behind a `Slice`: axes that are taken whole keep their length, the others have any.
fn sliced(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
    shape: &[Option<u64>],
) -> Shape {
    /// Ends from here on are how exporters say "to the end".
    const FAR: i64 = 1_000_000_000;
    let unknown = || vec![None; shape.len()].into();
    let list = |name: &str, index: usize| -> Option<Vec<i64>> {
        match attributes.get(name) {
            Some(values) => Some(values.ints.clone()),
            None => {
                let values = graph.integers(node.input.get(index)?)?;
                values.iter().copied().collect()
            }
        }
    };
    let (Some(starts), Some(ends)) = (list("starts", 1), list("ends", 2)) else {
        return unknown();
    };
    let has = |index: usize| node.input.get(index).is_some_and(|name| !name.is_empty());
    let axes = match list("axes", 3) {
        Some(axes) => axes,
        None if has(3) => return unknown(),
        None => (0..).take(starts.len()).collect(),
    };
    let steps = match list("steps", 4) {
        Some(steps) => steps,
        None if has(4) => return unknown(),
        None => vec![1; starts.len()],
    };
    let mut sliced: Shape = shape.into();
    for (index, axis) in axes.iter().enumerate() {
        let Some(length) = place(*axis, shape.len()).and_then(|axis| sliced.get_mut(axis)) else {
            return unknown();
        };
        let far = length.map_or(FAR, |length| i64::try_from(length).unwrap_or(i64::MAX));
        let is_whole = starts.get(index) == Some(&0)
            && steps.get(index) == Some(&1)
            && ends.get(index).is_some_and(|end| *end >= far);
        if !is_whole {
            *length = None;
        }
    }
    sliced
}

/// Where a slice of a list begins and ends, if it takes every element between.
fn whole_slice(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
) -> Option<(i64, i64)> {
    let single = |name: &str, index: usize| match attributes.get(name) {
        Some(values) => match values.ints.as_slice() {
            [value] => Some(*value),
            _ => None,
        },
        None => match graph.integers(node.input.get(index)?)? {
            [value] => *value,
            _ => None,
        },
    };
    let is_plain = node.input.get(4).is_none() || single("steps", 4) == Some(1);
    is_plain.then_some((single("starts", 1)?, single("ends", 2)?))
}

#[cfg(test)]
mod tests;
