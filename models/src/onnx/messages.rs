//! The protobuf messages of ONNX, as far as operators and scalar constants need them.
//!
//! Declared by hand from the published field numbers, so that no protobuf compiler is needed; fields that are not
//! here (shapes of inner values, documentation, training information) are skipped by the decoder. All fields are optional on the
//! wire, and files written from the proto3 variant leave out zeros.

use prost::bytes::Bytes;

/// A model: a graph and the functions that the graph may call.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ModelProto {
    /// Version of the file format.
    #[prost(int64, optional, tag = "1")]
    pub ir_version: Option<i64>,
    /// The graph that is run.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// The operator sets in use.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
    /// Functions that nodes call as if they were operators.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// A version of the operators of a domain.
#[derive(Clone, PartialEq, prost::Message)]
pub struct OperatorSetIdProto {
    /// Empty for ONNX itself.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Version of the set.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// A graph; also the body of a branch or loop.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GraphProto {
    /// Nodes, each after those it depends on.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Name of the graph.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Constant tensors: weights, but also the scalars of formulas.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Inputs.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// Outputs.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
}

/// An input or output of a graph.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueInfoProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its type: an encoded [`TypeProto`], which is read where it is needed.
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub r#type: Option<Bytes>,
}

/// The type of a value; of the kinds that there are, tensors alone are read.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeProto {
    /// A tensor.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
}

/// The type of a tensor.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorTypeProto {
    /// Element type, as [`TensorProto::data_type`].
    #[prost(int32, optional, tag = "1")]
    pub elem_type: Option<i32>,
    /// Its shape, if that is said.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// The shape of a tensor.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorShapeProto {
    /// Its axes.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// An axis of a tensor.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DimensionProto {
    /// Its length; it may have a name instead, which is skipped. Some write -1 for a length that is not known.
    #[prost(int64, optional, tag = "1")]
    pub dim_value: Option<i64>,
}

/// A node: one application of an operator or function.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NodeProto {
    /// Names of the input values; an empty name is an omitted input.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of the output values.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Name of the node, often empty.
    #[prost(string, tag = "3")]
    pub name: String,
    /// The operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// Domain of the operator; empty for ONNX itself.
    #[prost(string, tag = "7")]
    pub domain: String,
    /// Which of several functions of one name.
    #[prost(string, tag = "8")]
    pub overload: String,
}

/// An attribute of a node.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AttributeProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A float.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// An integer.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// A string.
    #[prost(bytes = "bytes", optional, tag = "4")]
    pub s: Option<Bytes>,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// A graph: the body of a branch or loop.
    #[prost(message, optional, tag = "6")]
    pub g: Option<GraphProto>,
    /// Floats.
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    /// Integers.
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
    /// Strings.
    #[prost(bytes = "bytes", repeated, tag = "9")]
    pub strings: Vec<Bytes>,
    /// Graphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
    /// Which of the fields holds the value: 1 is a float, 2 an integer, 3 a string. Old files leave it out.
    #[prost(int32, optional, tag = "20")]
    pub r#type: Option<i32>,
    /// Inside a function: the attribute of the calling node whose value this one takes.
    #[prost(string, tag = "21")]
    pub ref_attr_name: String,
}

/// A constant tensor.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorProto {
    /// Its shape; empty for a scalar.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// Element type: 1 is float, 10 float16, 11 double, 16 bfloat16, 6 int32, 7 int64.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Elements of a float tensor.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements of an int32 tensor, and the bits of 16-bit floats.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Elements of an int64 tensor.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// Its name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Elements of any type, little-endian.
    #[prost(bytes = "bytes", tag = "9")]
    pub raw_data: Bytes,
    /// Elements of a double tensor.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
}

/// A function defined in the model.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionProto {
    /// Its name: the `op_type` of nodes that call it.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Names of its inputs.
    #[prost(string, repeated, tag = "4")]
    pub input: Vec<String>,
    /// Names of its outputs.
    #[prost(string, repeated, tag = "5")]
    pub output: Vec<String>,
    /// Names of attributes without a default.
    #[prost(string, repeated, tag = "6")]
    pub attribute: Vec<String>,
    /// Its body.
    #[prost(message, repeated, tag = "7")]
    pub node: Vec<NodeProto>,
    /// Domain it belongs to.
    #[prost(string, tag = "10")]
    pub domain: String,
    /// Attributes with a default.
    #[prost(message, repeated, tag = "11")]
    pub attribute_proto: Vec<AttributeProto>,
    /// Which of several functions of one name.
    #[prost(string, tag = "13")]
    pub overload: String,
}

/// The most elements of a constant that are compared with each other. Formulas hold their numbers as scalars, or
/// as rows as wide as a layer; what is larger is a weight.
const MOST_ELEMENTS: i64 = 1 << 14;

impl TensorProto {
    /// The value of a tensor whose elements are all the same, if its type is a number we read.
    pub(super) fn uniform(&self) -> Option<f64> {
        let sizes = self.dims.iter();
        let elements = sizes.clone().try_fold(1i64, |product, size| {
            product.checked_mul(*size).filter(|product| *product > 0)
        })?;
        if elements > MOST_ELEMENTS {
            return None;
        }
        let elements = usize::try_from(elements).ok()?;
        let raw = &self.raw_data[..];
        let brain = |bits| f64::from(f32::from_bits(u32::from(bits) << 16));
        match self.data_type {
            1 => same(
                elements,
                &self.float_data,
                raw,
                |bytes| f32::from_le_bytes(bytes).into(),
                f64::from,
            ),
            11 => same(
                elements,
                &self.double_data,
                raw,
                f64::from_le_bytes,
                |value| value,
            ),
            10 => same(
                elements,
                &self.int32_data,
                raw,
                |bytes| half(u16::from_le_bytes(bytes)),
                |bits| half(bits as u16),
            ),
            16 => same(
                elements,
                &self.int32_data,
                raw,
                |bytes| brain(u16::from_le_bytes(bytes)),
                |bits| brain(bits as u16),
            ),
            6 => same(
                elements,
                &self.int32_data,
                raw,
                |bytes| i32::from_le_bytes(bytes).into(),
                f64::from,
            ),
            7 => same(
                elements,
                &self.int64_data,
                raw,
                |bytes| i64::from_le_bytes(bytes) as f64,
                |value| value as f64,
            ),
            _ => None,
        }
    }
}

impl TensorProto {
    /// The elements of an int32 or int64 tensor, if there are at most so many.
    pub(super) fn integers(&self, most: usize) -> Option<Vec<i64>> {
        let product = self
            .dims
            .iter()
            .try_fold(1_i64, |product, size| product.checked_mul(*size))?;
        let elements = usize::try_from(product)
            .ok()
            .filter(|elements| *elements <= most)?;
        let raw = &self.raw_data[..];
        let found: Vec<i64> = match self.data_type {
            6 if raw.is_empty() => self
                .int32_data
                .iter()
                .map(|value| i64::from(*value))
                .collect(),
            7 if raw.is_empty() => self.int64_data.clone(),
            6 => raw
                .as_chunks()
                .0
                .iter()
                .map(|bytes| i32::from_le_bytes(*bytes).into())
                .collect(),
            7 => raw
                .as_chunks()
                .0
                .iter()
                .map(|bytes| i64::from_le_bytes(*bytes))
                .collect(),
            _ => return None,
        };
        (found.len() == elements).then_some(found)
    }
}

/// The value that all elements have, from the typed field or from the raw bytes.
fn same<T: Copy, const N: usize>(
    elements: usize,
    typed: &[T],
    raw: &[u8],
    from_raw: impl Fn([u8; N]) -> f64,
    from_typed: impl Fn(T) -> f64,
) -> Option<f64> {
    let (raw, rest) = raw.as_chunks::<N>();
    let is_whole = match typed.len() {
        0 => raw.len() == elements && rest.is_empty(),
        length => length == elements,
    };
    let mut values = typed
        .iter()
        .map(|value| from_typed(*value))
        .chain(raw.iter().map(|bytes| from_raw(*bytes)).take(elements));
    let first = values.next().filter(|_| is_whole)?;
    values
        .all(|value| value.to_bits() == first.to_bits())
        .then_some(first)
}

/// The value of a binary16.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_every_type_are_read_from_both_fields() {
        let raw = |data_type, bytes: &[u8]| TensorProto {
            data_type,
            raw_data: Bytes::copy_from_slice(bytes),
            ..TensorProto::default()
        };
        assert_eq!(raw(1, &1.5f32.to_le_bytes()).uniform(), Some(1.5));
        assert_eq!(raw(11, &1.5f64.to_le_bytes()).uniform(), Some(1.5));
        assert_eq!(raw(10, &0x3e00u16.to_le_bytes()).uniform(), Some(1.5));
        assert_eq!(
            raw(10, &0x0001u16.to_le_bytes()).uniform(),
            Some(2f64.powi(-24))
        );
        assert_eq!(raw(16, &0x3fc0u16.to_le_bytes()).uniform(), Some(1.5));
        assert_eq!(raw(7, &(-3i64).to_le_bytes()).uniform(), Some(-3.0));
        assert_eq!(raw(6, &7i32.to_le_bytes()).uniform(), Some(7.0));
        assert_eq!(raw(1, &[0, 0]).uniform(), None);
        assert_eq!(raw(9, &[1]).uniform(), None);
        let typed = TensorProto {
            data_type: 10,
            int32_data: vec![0xc000],
            ..TensorProto::default()
        };
        assert_eq!(typed.uniform(), Some(-2.0));
        let matrix = TensorProto {
            data_type: 1,
            dims: vec![2, 1],
            float_data: vec![1.0, 2.0],
            ..TensorProto::default()
        };
        assert_eq!(matrix.uniform(), None);
        let absurd = TensorProto {
            data_type: 1,
            dims: vec![i64::MAX, i64::MAX],
            float_data: vec![1.0],
            ..TensorProto::default()
        };
        assert_eq!(absurd.uniform(), None);
        let row = TensorProto {
            data_type: 1,
            dims: vec![1, 3],
            float_data: vec![0.5; 3],
            ..TensorProto::default()
        };
        assert_eq!(row.uniform(), Some(0.5));
    }
}
