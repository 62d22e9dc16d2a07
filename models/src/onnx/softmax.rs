//! What is known of a softmax, written out or not: its largest input is taken off first, so that each of its exponentials is at
//! most one, and one of them is.

use super::attributes::{Attributes, Bindings};
use super::graph::Graph;
use super::interval::{Interval, LOOSENESS};
use super::messages::NodeProto;
use super::shapes::{place, product};

/// `x - ReduceMax(x)`, with the maximum of each element's own row.
pub(super) fn is_below_maximum(graph: &Graph<'_, '_>, node: &NodeProto) -> bool {
    let [value, maximum] = node.input.as_slice() else {
        return false;
    };
    own_maximum(graph, value, maximum).is_some()
}

/// The `ReduceMax` of `value` that `maximum` is, if it stands beside the elements that it is the maximum of: without its axis it
/// could be that of another row.
fn own_maximum<'g>(graph: &Graph<'_, 'g>, value: &str, maximum: &str) -> Option<&'g NodeProto> {
    /// Nodes between a reduction and the difference.
    const MOST: usize = 8;
    let mut behind: Vec<&NodeProto> = Vec::new();
    let mut name = maximum;
    let reduction = loop {
        let (_, node) = graph.producer(name)?;
        name = match (node.onnx_operator()?, node.input.as_slice()) {
            ("ReduceMax", [input, ..]) if input == value => break node,
            ("Identity" | "Reshape" | "Expand" | "Unsqueeze", [input, ..]) => input,
            // The least of all numbers, with which some begin a maximum.
            ("Max", [one, other]) => match (graph.constant(one), graph.constant(other)) {
                (Some(f64::NEG_INFINITY), None) => other,
                (None, Some(f64::NEG_INFINITY)) => one,
                _ => return None,
            },
            _ => return None,
        };
        behind.push(node);
        if behind.len() > MOST {
            return None;
        }
    };
    let mut is_beside = keeps_axes(reduction)?;
    for node in behind.iter().rev() {
        let moves = matches!(
            node.onnx_operator(),
            Some("Reshape" | "Expand" | "Unsqueeze")
        );
        if moves {
            let shape = graph.shape(value)?;
            let axis = place(axis(graph, reduction)?, shape.len())?;
            let before = graph.shape(node.input.first()?)?;
            let after = graph.shape(node.output.first()?)?;
            is_beside = stays_beside(node, axis, shape.len(), is_beside, before, after);
            if !is_beside {
                return None;
            }
        }
    }
    is_beside.then_some(reduction)
}

/// Whether a maximum along `axis` stands beside its row behind a node that gives it another shape. `rank` is the number of axes of
/// the rows, `was_beside` whether it stood there before.
fn stays_beside(
    node: &NodeProto,
    axis: usize,
    rank: usize,
    was_beside: bool,
    before: &[Option<u64>],
    after: &[Option<u64>],
) -> bool {
    if after.len() != rank || after.get(axis) != Some(&Some(1)) {
        return false;
    }
    if node.onnx_operator() == Some("Expand") {
        // Repeats maxima along other axes, where the row itself is repeated as well.
        return was_beside;
    }
    // The same elements in the same order: the axes are the same if at most one length is not known.
    let others = |shape: &[Option<u64>], has_axis: bool| -> Vec<Option<u64>> {
        let lengths = shape.iter().enumerate();
        lengths
            .filter(|(place, _)| !has_axis || *place != axis)
            .map(|(_, length)| *length)
            .collect()
    };
    let (before, after) = (others(before, was_beside), others(after, true));
    let same = |(one, other): &(&Option<u64>, &Option<u64>)| {
        one.is_some_and(|length| length > 0) && one == other
    };
    before.len() == after.len() && before.iter().zip(&after).filter(|pair| !same(pair)).count() <= 1
}

/// Whether a reduction leaves its axis there, with the length 1. In functions that may be for the caller to say.
fn keeps_axes(node: &NodeProto) -> Option<bool> {
    let kept = node
        .attribute
        .iter()
        .find(|attribute| attribute.name == "keepdims");
    match kept {
        None => Some(true),
        Some(kept) => kept
            .ref_attr_name
            .is_empty()
            .then(|| kept.i.unwrap_or_default() != 0),
    }
}

/// `ReduceSum(Exp(x - ReduceMax(x)))` along one axis: an element is exp(0), no element is negative and none is above one. Gives
/// what the sum can be.
pub(super) fn sum_of_exponentials(graph: &Graph<'_, '_>, sum: &NodeProto) -> Option<Sum> {
    let (_, exp) = graph.producer(sum.input.first()?)?;
    let (_, mut difference) = graph.producer(exp.input.first()?)?;
    // A zero is one in every type that exp is taken in.
    if matches!(difference.onnx_operator(), Some("Cast" | "Identity")) {
        (_, difference) = graph.producer(difference.input.first()?)?;
    }
    let is_one = exp.onnx_operator() == Some("Exp") && difference.onnx_operator() == Some("Sub");
    let (value, maximum) = (difference.input.first()?, difference.input.get(1)?);
    let maximum = own_maximum(graph, value, maximum).filter(|_| is_one)?;
    let (own, other) = (axis(graph, sum)?, axis(graph, maximum)?);
    let shape = graph.shape(value);
    let axis = shape.and_then(|shape| place(own, shape.len()));
    let is_same = own == other
        || shape.is_some_and(|shape| axis.is_some() && axis == place(other, shape.len()));
    is_same.then(|| Sum {
        elements: shape.zip(axis).and_then(|(shape, axis)| *shape.get(axis)?),
    })
}

/// The sum of a `Softmax` or `LogSoftmax`. Before opset 13 it went over the axes from the one named to the last; the bound is for
/// both meanings.
pub(super) fn sum_of_operator(
    graph: &Graph<'_, '_>,
    node: &NodeProto,
    attributes: Attributes<'_>,
) -> Sum {
    let elements = || {
        let shape = graph.shape(node.input.first()?)?;
        let first = match attributes.get("axis") {
            Some(axis) => place(axis.i.unwrap_or_default(), shape.len())?,
            // The last one, or from the second to the last.
            None => usize::from(shape.len() > 1),
        };
        product(shape.get(first..)?)
    };
    Sum {
        elements: elements(),
    }
}

/// The sum of the exponentials of a softmax.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    /// How many there are at most; `None` if the graph does not say.
    elements: Option<u64>,
}

impl Sum {
    /// What it can be, in whichever type and order it is added up. A sum of what is not negative is at least its largest element.
    /// At most it is the number of elements, with room for the approximation of exp and for rounding: adding to a sum changes it
    /// by twice the summand at most, since the sum itself is a number of its type, and adding in pairs rounds even less.
    pub(super) fn range(self) -> Interval {
        let most = self.elements.map_or(f64::INFINITY, |elements| {
            2.0 * elements.max(1) as f64 * (1.0 + LOOSENESS)
        });
        Interval::new(1.0, most)
    }

    /// Why, as the end of a sentence that begins with "since".
    pub(super) fn reason(self) -> String {
        match self.elements {
            Some(elements) => {
                format!("a softmax has exp(0) in its sum, and at most {elements} numbers")
            }
            None => "a softmax has exp(0) in its sum".to_owned(),
        }
    }
}

/// The sum of a softmax that a value is, past nodes that give it another shape.
pub(super) fn sum_behind(graph: &Graph<'_, '_>, value: &str) -> Option<Sum> {
    const MOST: usize = 8;
    let mut value = value;
    for _ in 0..MOST {
        let (_, node) = graph.producer(value)?;
        value = match node.onnx_operator()? {
            "ReduceSum" => return sum_of_exponentials(graph, node),
            "Identity" | "Cast" | "Reshape" | "Expand" | "Unsqueeze" | "Squeeze" => {
                node.input.first()?
            }
            _ => return None,
        };
    }
    None
}

/// The one axis that a reduction goes along.
fn axis(graph: &Graph<'_, '_>, node: &NodeProto) -> Option<i64> {
    // An attribute that the caller of a function gives is not looked up.
    let none = Bindings::new();
    let attributes = Attributes::new(node, &none);
    let single = |values: &[i64]| match values {
        [axis] => Some(*axis),
        _ => None,
    };
    match attributes.get("axes") {
        Some(axes) => single(&axes.ints),
        None => {
            let axes = graph.integers(node.input.get(1)?)?;
            single(&axes.iter().copied().collect::<Option<Vec<i64>>>()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::interval::Types;
    use super::*;
    use proptest::prelude::*;

    fn brain(x: f32) -> f32 {
        f32::from_bits((x.to_bits() + 0x7fff + (x.to_bits() >> 16 & 1)) & 0xffff_0000)
    }

    fn in_pairs(elements: &[f32]) -> f32 {
        match elements {
            [] => 0.0,
            [one] => *one,
            all => {
                let (first, rest) = all.split_at(all.len() / 2);
                brain(in_pairs(first) + in_pairs(rest))
            }
        }
    }

    proptest! {
        /// Sums of numbers up to one, of which one is one, lie in the range: in fp32, and rounded to bf16 after each step.
        #[test]
        fn sums_lie_where_the_range_says(
            mut elements in proptest::collection::vec(prop_oneof![Just(1.0_f32), 0.0_f32..=1.0], 1..2000),
            place in any::<proptest::sample::Index>(),
        ) {
            let place = place.index(elements.len());
            elements[place] = 1.0;
            let sum = Sum { elements: Some(elements.len() as u64) };
            let range = sum.range().rounded(Types::Wide);
            for found in [
                elements.iter().sum::<f32>(),
                elements.iter().fold(0.0, |sum, element| brain(sum + brain(*element))),
                in_pairs(&elements.iter().copied().map(brain).collect::<Vec<_>>()),
            ] {
                prop_assert!(range.low <= found.into() && f64::from(found) <= range.high, "{found} {range:?}");
            }
        }
    }

    #[test]
    fn a_sum_of_nothing_known_has_no_end() {
        let open = Sum { elements: None };
        assert_eq!(open.range(), Interval::new(1.0, f64::INFINITY));
        // More elements than a type counts.
        let many = Sum {
            elements: Some(u64::MAX),
        };
        assert_eq!(many.range().rounded(Types::WithHalf).high, f64::INFINITY);
    }
}
