use super::*;
use crate::proto::{SegmentProto, SparseTensorProto};

fn tensor(data_type: DataType, dims: &[i64]) -> TensorProto {
    TensorProto { dims: dims.to_vec(), data_type: Some(data_type as i32), name: Some("w".into()), ..Default::default() }
}

fn raw(data_type: DataType, dims: &[i64], raw: &[u8]) -> TensorProto {
    TensorProto { raw_data: Some(raw.to_vec().into()), ..tensor(data_type, dims) }
}

fn int32(data_type: DataType, dims: &[i64], numbers: &[i32]) -> TensorProto {
    TensorProto { int32_data: numbers.to_vec(), ..tensor(data_type, dims) }
}

/// The elements of a tensor as float64, which represents all numbers of these tests.
fn numbers(tensor: &TensorProto) -> Vec<f64> {
    let data = tensor.data().unwrap();
    let bytes = data.bytes();
    let each = |size: usize, decode: &dyn Fn(&[u8]) -> f64| bytes.chunks(size).map(decode).collect();
    match data.dtype() {
        DType::Bool | DType::U8 => each(1, &|b| f64::from(b[0])),
        DType::I8 => each(1, &|b| f64::from(b[0] as i8)),
        DType::I16 => each(2, &|b| f64::from(i16::from_le_bytes(b.try_into().unwrap()))),
        DType::I32 => each(4, &|b| f64::from(i32::from_le_bytes(b.try_into().unwrap()))),
        DType::I64 => each(8, &|b| i64::from_le_bytes(b.try_into().unwrap()) as f64),
        DType::F32 => each(4, &|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))),
        DType::F64 => each(8, &|b| f64::from_le_bytes(b.try_into().unwrap())),
        DType::F16 | DType::BF16 => each(2, &|b| f64::from(u16::from_le_bytes(b.try_into().unwrap()))),
    }
}

#[test]
fn fields_and_raw_data_give_the_same_elements() {
    let float = TensorProto { float_data: vec![1.5, -2.0], ..tensor(DataType::Float, &[2]) };
    let double = TensorProto { double_data: vec![1.5, -2.0], ..tensor(DataType::Double, &[2]) };
    let int64 = TensorProto { int64_data: vec![i64::MIN, 3], ..tensor(DataType::Int64, &[1, 2]) };
    let uint64 = TensorProto { uint64_data: vec![1 << 62, 3], ..tensor(DataType::Uint64, &[2]) };
    let uint32 = TensorProto { uint64_data: vec![u64::from(u32::MAX), 3], ..tensor(DataType::Uint32, &[2]) };
    let cases = [
        (float, raw(DataType::Float, &[2], &[0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]), vec![1.5, -2.0]),
        (
            double,
            raw(DataType::Double, &[2], &[0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0]),
            vec![1.5, -2.0],
        ),
        (
            int64,
            raw(DataType::Int64, &[1, 2], &[0, 0, 0, 0, 0, 0, 0, 0x80, 3, 0, 0, 0, 0, 0, 0, 0]),
            vec![-(2f64.powi(63)), 3.0],
        ),
        (
            uint64,
            raw(DataType::Uint64, &[2], &[0, 0, 0, 0, 0, 0, 0, 0x40, 3, 0, 0, 0, 0, 0, 0, 0]),
            vec![2f64.powi(62), 3.0],
        ),
        (uint32, raw(DataType::Uint32, &[2], &[255, 255, 255, 255, 3, 0, 0, 0]), vec![4294967295.0, 3.0]),
        (
            int32(DataType::Int32, &[2], &[-7, 3]),
            raw(DataType::Int32, &[2], &[249, 255, 255, 255, 3, 0, 0, 0]),
            vec![-7.0, 3.0],
        ),
        (int32(DataType::Int16, &[2], &[-7, 3]), raw(DataType::Int16, &[2], &[249, 255, 3, 0]), vec![-7.0, 3.0]),
        (
            int32(DataType::Uint16, &[2], &[65529, 3]),
            raw(DataType::Uint16, &[2], &[249, 255, 3, 0]),
            vec![65529.0, 3.0],
        ),
        (int32(DataType::Int8, &[2], &[-7, 3]), raw(DataType::Int8, &[2], &[249, 3]), vec![-7.0, 3.0]),
        (int32(DataType::Uint8, &[2], &[249, 3]), raw(DataType::Uint8, &[2], &[249, 3]), vec![249.0, 3.0]),
        (int32(DataType::Bool, &[2], &[2, 0]), raw(DataType::Bool, &[2], &[2, 0]), vec![1.0, 0.0]),
        // The bits of float16 and bfloat16, with and without an extended sign.
        (
            int32(DataType::Float16, &[2], &[0x3c00, 0xbc00]),
            raw(DataType::Float16, &[2], &[0, 0x3c, 0, 0xbc]),
            vec![15360.0, 48128.0],
        ),
        (
            int32(DataType::Bfloat16, &[2], &[0x3f80, -0x4080]),
            raw(DataType::Bfloat16, &[2], &[0x80, 0x3f, 0x80, 0xbf]),
            vec![16256.0, 49024.0],
        ),
        (
            int32(DataType::Float8e4m3fn, &[2], &[0x38, -0x48]),
            raw(DataType::Float8e4m3fn, &[2], &[0x38, 0xb8]),
            vec![1.0, -1.0],
        ),
        (
            int32(DataType::Float8e4m3fnuz, &[2], &[0x40, 0xc0]),
            raw(DataType::Float8e4m3fnuz, &[2], &[0x40, 0xc0]),
            vec![1.0, -1.0],
        ),
        (
            int32(DataType::Float8e5m2, &[2], &[0x3c, 0xfc]),
            raw(DataType::Float8e5m2, &[2], &[0x3c, 0xfc]),
            vec![1.0, f64::NEG_INFINITY],
        ),
        (
            int32(DataType::Float8e5m2fnuz, &[2], &[0x40, 0xc0]),
            raw(DataType::Float8e5m2fnuz, &[2], &[0x40, 0xc0]),
            vec![1.0, -1.0],
        ),
        (
            int32(DataType::Float8e8m0, &[2], &[0x7f, 0x80]),
            raw(DataType::Float8e8m0, &[2], &[0x7f, 0x80]),
            vec![1.0, 2.0],
        ),
        (int32(DataType::Uint4, &[3], &[0xf7, 1]), raw(DataType::Uint4, &[3], &[0xf7, 1]), vec![7.0, 15.0, 1.0]),
        (int32(DataType::Int4, &[3], &[0xf7, 0x51]), raw(DataType::Int4, &[3], &[0xf7, 0x51]), vec![7.0, -1.0, 1.0]),
        (
            int32(DataType::Float4e2m1, &[3], &[0xf7, 1]),
            raw(DataType::Float4e2m1, &[3], &[0xf7, 1]),
            vec![6.0, -6.0, 0.5],
        ),
        (
            int32(DataType::Uint2, &[5], &[0b11_10_01_00, 3]),
            raw(DataType::Uint2, &[5], &[0b11_10_01_00, 3]),
            vec![0.0, 1.0, 2.0, 3.0, 3.0],
        ),
        (
            int32(DataType::Int2, &[5], &[0b11_10_01_00, 3]),
            raw(DataType::Int2, &[5], &[0b11_10_01_00, 3]),
            vec![0.0, 1.0, -2.0, -1.0, -1.0],
        ),
        // Codes of 6 bits: 1, 0x3f, 8, 0x20 and 2.
        (
            int32(DataType::Float6e2m3, &[5], &[1, 63, 8, 32, 2]),
            raw(DataType::Float6e2m3, &[5], &[0xc1, 0x8f, 0x80, 2]),
            vec![0.125, -7.5, 1.0, -0.0, 0.25],
        ),
        (int32(DataType::Float6e3m2, &[1], &[63]), raw(DataType::Float6e3m2, &[1], &[63]), vec![-28.0]),
    ];
    for (field, raw, expected) in cases {
        let data_type = field.element_type().unwrap();
        assert_eq!(field.data().unwrap(), raw.data().unwrap(), "{data_type:?}");
        assert_eq!(numbers(&raw), expected, "{data_type:?}");
        assert_eq!(field.data().unwrap().shape().len(), field.dims.len());
        // The writer produces the same raw data, except undefined bits: bools above 1 and padding.
        let written = TensorProto::from_data("w", field.data().unwrap(), Some(data_type)).unwrap();
        assert_eq!(numbers(&written), expected, "{data_type:?}");
        assert_eq!(written.raw_data().len(), raw.raw_data().len(), "{data_type:?}");
    }
}

#[test]
fn elements_are_exactly_those_of_the_shape() {
    let refused = |tensor: TensorProto| tensor.data().map(|_| ()).unwrap_err().to_string();
    let shorter = refused(raw(DataType::Float, &[2, 2], &[0; 15]));
    assert_eq!(shorter, "malformed program: tensor `w`: float32 of shape [2, 2] takes 16 bytes, and there are 15");
    assert!(refused(raw(DataType::Float, &[2, 2], &[0; 17])).contains("there are 17"));
    assert!(refused(raw(DataType::Int4, &[3], &[0])).contains("takes 2 bytes"));
    assert!(refused(raw(DataType::Int4, &[3], &[0; 3])).contains("there are 3"));
    assert!(refused(raw(DataType::Float6e2m3, &[5], &[0; 5])).contains("takes 4 bytes"));
    assert!(refused(int32(DataType::Int4, &[3], &[0; 3])).contains("takes 2 of int32_data, and there are 3"));
    assert!(refused(int32(DataType::Int32, &[2], &[0])).contains("takes 2 of int32_data, and there are 1"));
    assert!(refused(tensor(DataType::Float, &[])).contains("takes 4 bytes, and there are 0"));
    assert!(tensor(DataType::Float, &[3, 0]).data().is_ok_and(|data| data.shape() == [3, 0]));
    assert!(refused(raw(DataType::Float, &[-1], &[])).contains("negative size"));
    let limit = |tensor: TensorProto| matches!(tensor.data(), Err(Error::Limit(_)));
    assert!(limit(raw(DataType::Float, &[i64::MAX, i64::MAX], &[])));
    assert!(limit(raw(DataType::Float, &[0, i64::MAX, 2], &[])));
    assert!(limit(raw(DataType::Float, &[1 << 62], &[])));
    assert!(limit(raw(DataType::Uint2, &[1; MAX_RANK + 1], &[0])));
    // 2^62 elements of 2 bits: the number of bytes does not overflow, but the bytes are missing.
    assert!(raw(DataType::Uint2, &[1 << 62], &[]).data().is_err());
}

#[test]
fn fields_and_numbers_that_a_type_does_not_have_are_refused() {
    let refused = |tensor: TensorProto| tensor.data().map(|_| ()).unwrap_err().to_string();
    let both =
        TensorProto { raw_data: Some(vec![0; 4].into()), float_data: vec![0.0], ..tensor(DataType::Float, &[1]) };
    assert!(refused(both).contains("in both raw_data and float_data"));
    let other = TensorProto { float_data: vec![0.0], ..tensor(DataType::Int64, &[1]) };
    assert!(refused(other).contains("elements of int64 are in int64_data, not in float_data"));
    assert!(refused(int32(DataType::Uint8, &[1], &[256])).contains("256 is no uint8"));
    assert!(refused(int32(DataType::Uint8, &[1], &[-1])).contains("-1 is no uint8"));
    assert!(refused(int32(DataType::Int8, &[1], &[128])).contains("128 is no int8"));
    assert!(refused(int32(DataType::Float16, &[1], &[0x10000])).contains("65536 is no float16"));
    assert!(refused(int32(DataType::Float6e3m2, &[1], &[64])).contains("64 is no float6e3m2"));
    let uint32 = TensorProto { uint64_data: vec![1 << 32], ..tensor(DataType::Uint32, &[1]) };
    assert!(refused(uint32).contains("4294967296 is no uint32"));
    let uint64 = TensorProto { uint64_data: vec![1 << 63], ..tensor(DataType::Uint64, &[1]) };
    assert!(refused(uint64).contains("no int64 holds"));
    let segment = TensorProto { segment: Some(SegmentProto::default()), ..raw(DataType::Uint8, &[1], &[1]) };
    assert!(refused(segment).contains("segment"));
    let external = TensorProto { data_location: Some(1), ..tensor(DataType::Uint8, &[1]) };
    assert!(refused(external).contains("outside of the file"));
    assert!(refused(TensorProto { data_type: Some(99), ..Default::default() }).contains("99 is no element type"));
    assert!(refused(TensorProto::default()).contains("no element type"));
    for data_type in [DataType::String, DataType::Complex64, DataType::Complex128] {
        assert!(matches!(tensor(data_type, &[1]).data(), Err(Error::Unsupported(message)) if message.contains("`w`")));
    }
}

#[test]
fn raw_data_of_a_type_that_lanthorn_has_is_borrowed() {
    let tensor = raw(DataType::Float, &[2], &[1; 8]);
    assert_eq!(tensor.data().unwrap().bytes().as_ptr(), tensor.raw_data().as_ptr());
}

#[test]
fn sparse_tensors_become_dense() {
    let sparse = |dims: &[i64], indices: &[i64], shape: &[i64]| SparseTensorProto {
        values: Some(raw(DataType::Uint8, &[2], &[5, 7])),
        indices: Some(TensorProto { int64_data: indices.to_vec(), ..tensor(DataType::Int64, shape) }),
        dims: dims.to_vec(),
    };
    let bytes = |sparse: SparseTensorProto| sparse.to_dense().map(TensorData::into_bytes);
    assert_eq!(bytes(sparse(&[2, 2], &[1, 2], &[2])).unwrap(), [0, 5, 7, 0]);
    assert_eq!(bytes(sparse(&[2, 2], &[0, 1, 1, 1], &[2, 2])).unwrap(), [0, 5, 0, 7]);
    let refused = |sparse: SparseTensorProto| bytes(sparse).unwrap_err().to_string();
    assert!(refused(sparse(&[2, 2], &[1, 4], &[2])).contains("outside of [2, 2]"));
    assert!(refused(sparse(&[2, 2], &[0, 2, 1, 0], &[2, 2])).contains("outside of [2, 2]"));
    assert!(refused(sparse(&[2, 2], &[-1, 1], &[2])).contains("outside of [2, 2]"));
    assert!(refused(sparse(&[2, 2], &[1, 1], &[2])).contains("not after"));
    assert!(refused(sparse(&[2, 2], &[2, 1], &[2])).contains("not after"));
    assert!(refused(sparse(&[2, 2], &[2, 1, 3], &[3])).contains("indices of shape [3]"));
    assert!(refused(sparse(&[1 << 40], &[1, 2], &[2])).contains("limit exceeded"));
    assert!(refused(SparseTensorProto::default()).contains("no values"));
}

#[test]
fn the_writer_narrows_and_refuses_what_does_not_fit() {
    let int32 = |number: i32| TensorData::new(DType::I32, vec![1], number.to_le_bytes().to_vec()).unwrap();
    let write = |number: i32, data_type| TensorProto::from_data("w", int32(number), Some(data_type));
    assert_eq!(write(-1, DataType::Int64).unwrap().raw_data(), [255; 8]);
    assert_eq!(write(7, DataType::Uint32).unwrap().raw_data(), [7, 0, 0, 0]);
    assert_eq!(write(-8, DataType::Int4).unwrap().raw_data(), [8]);
    assert_eq!(write(3, DataType::Int32).unwrap(), TensorProto::from_data("w", int32(3), None).unwrap());
    for (number, data_type) in [(8, DataType::Int4), (-1, DataType::Uint16), (65536, DataType::Uint16)] {
        assert!(write(number, data_type).is_err_and(|error| error.to_string().contains(&format!("{number} is no"))));
    }
    assert!(write(1, DataType::Float).is_err());
    assert!(write(1, DataType::String).is_err());
    assert!(write(300, DataType::Int8).is_err());
}
