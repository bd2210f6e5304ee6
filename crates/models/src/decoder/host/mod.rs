//! The table of families as each language reads it, and the names of types.

use super::family::{Family, Table};
use lanthorn_tensor::DType;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::{Map, Value};
use std::sync::LazyLock;

type Row = Map<String, Value>;

/// A row with the fields that it inherits from another.
fn complete(rows: &[Row], row: &Row) -> Row {
    let base = row.get("extends").and_then(|base| rows.iter().find(|other| other.get("name") == Some(base)));
    let Some(base) = base else { return row.clone() };
    let mut all = complete(rows, base);
    for (key, value) in row {
        match (key.as_str(), all.get_mut(key), value) {
            ("fields" | "names", Some(Value::Object(known)), Value::Object(own)) => known.extend(own.clone()),
            _ => {
                all.insert(key.clone(), value.clone());
            }
        }
    }
    all
}

/// Reads the rows, each with the fields that it inherits.
pub(crate) fn complete_rows<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Vec<Family>, D::Error> {
    let rows = Vec::<Row>::deserialize(deserializer)?;
    let family = |row: &Row| serde_json::from_value(Value::Object(complete(&rows, row))).map_err(D::Error::custom);
    rows.iter().map(family).collect()
}

/// The table, which is part of the crate: that it can be read is tested.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../families.json")).expect("the table is read by the tests")
});

/// The table of families, `families.json`.
pub(crate) fn table() -> &'static Table {
    &TABLE
}

/// The floating-point type that a name of PyTorch means.
pub(crate) fn float_type(name: &str) -> Option<DType> {
    DType::from_name(name).filter(|dtype| dtype.is_floating_point())
}

/// Sizes as operations take them.
pub(crate) fn ints(sizes: &[usize]) -> Vec<i64> {
    sizes.iter().map(|&size| size as i64).collect()
}
