//! Tables of comma-separated values.

use crate::HostArray;
use csv::{ReaderBuilder, StringRecord};
use lanthorn_tensor::{Error, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Integers that fit int32.
    Int,
    /// Numbers; an empty field is NaN.
    Float,
    /// Any text.
    Text,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Integers.
    Int(Vec<i32>),
    /// Numbers; an empty field is NaN.
    Float(Vec<f64>),
    /// The fields, unchanged.
    Text(Vec<String>),
}

/// Options of [`read_csv`].
#[derive(Clone, Debug)]
pub struct CsvOptions {
    /// Whether the first line has the names of the columns (default: true). Without it they are
    /// named `0`, `1`, and so on.
    pub header: bool,
    /// The delimiter between fields (default: a comma).
    pub delimiter: u8,
    /// The types of columns by name. Every other column gets the narrowest type that holds all its
    /// fields.
    pub types: HashMap<String, ColumnType>,
    /// Fields that are NaN among numbers, as an empty one is: `NA`, `?` (default: none).
    pub na_values: Vec<String>,
}

impl Default for CsvOptions {
    fn default() -> CsvOptions {
        CsvOptions { header: true, delimiter: b',', types: HashMap::new(), na_values: Vec::new() }
    }
}

/// Named columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Column>,
    rows: usize,
}

/// Reads a table. Rows must be equally long, and the names of columns must be unique.
///
/// # Errors
///
/// `file` for a text that is no table: rows of several lengths, two columns of one name, a field
/// that is not of its column's type, bytes that are not UTF-8. `argument` for a column of `options`
/// that the table lacks.
///
/// ```
/// use lanthorn::data::{CsvOptions, read_csv};
/// let table = read_csv("length,width,kind\n5.1,3.5,setosa\n4.9,,virginica\n".as_bytes(), &CsvOptions::default())?;
/// assert_eq!(table.numbers(&["length"])?.values::<f32>()?, [5.1, 4.9]);
/// let (labels, classes) = table.labels("kind")?;
/// assert_eq!((labels.values::<i32>()?, classes), (&[0, 1][..], vec!["setosa".to_string(), "virginica".to_string()]));
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn read_csv(source: impl Read, options: &CsvOptions) -> Result<Table> {
    let mut reader = ReaderBuilder::new().has_headers(false).delimiter(options.delimiter).from_reader(source);
    let mut records = Vec::new();
    for record in reader.records() {
        records.push(record.map_err(|error| file_error(error.to_string()))?);
    }
    let width = records.first().map_or(0, StringRecord::len);
    let names: Vec<String> = match records.first() {
        Some(first) if options.header => first.iter().map(str::to_string).collect(),
        _ => (0..width).map(|column| column.to_string()).collect(),
    };
    if let Some(name) = names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name)) {
        return Err(file_error(format!("two columns have the name {name:?}")));
    }
    if let Some(name) = options.types.keys().find(|name| !names.contains(name)) {
        return Err(missing(name, &names));
    }
    let rows = &records[usize::from(options.header && width > 0)..];
    let column = |(at, name): (usize, &String)| {
        let fields: Vec<&str> = rows.iter().map(|row| &row[at]).collect();
        Column::read(&fields, options.types.get(name).copied(), &options.na_values)
            .map_err(|error| error.concerning(format!("column {name:?}")))
    };
    let columns = names.iter().enumerate().map(column).collect::<Result<_>>()?;
    Ok(Table { rows: rows.len(), names, columns })
}

impl Column {
    fn read(fields: &[&str], kind: Option<ColumnType>, na_values: &[String]) -> Result<Column> {
        let read = |kind| match kind {
            ColumnType::Int => {
                all(fields, |field| field.trim().parse().ok(), "whole number within int32").map(Column::Int)
            }
            ColumnType::Float => all(fields, |field| float(field, na_values), "number").map(Column::Float),
            ColumnType::Text => Ok(Column::Text(fields.iter().map(|field| field.to_string()).collect())),
        };
        match kind {
            Some(kind) => read(kind),
            None => read(ColumnType::Int).or_else(|_| read(ColumnType::Float)).or_else(|_| read(ColumnType::Text)),
        }
    }

    /// The values as numbers; `None` for a column of text.
    fn numbers(&self) -> Option<Vec<f32>> {
        match self {
            Column::Int(values) => Some(values.iter().map(|&value| value as f32).collect()),
            Column::Float(values) => Some(values.iter().map(|&value| value as f32).collect()),
            Column::Text(_) => None,
        }
    }
}

/// Parses every field; an error for the first field that does not parse.
fn all<T>(fields: &[&str], parse: impl Fn(&str) -> Option<T>, what: &str) -> Result<Vec<T>> {
    let value = |(row, &field): (usize, &&str)| {
        parse(field).ok_or_else(|| file_error(format!("row {row} has {field:?}, which is no {what}")))
    };
    fields.iter().enumerate().map(value).collect()
}

fn float(field: &str, na_values: &[String]) -> Option<f64> {
    match field.trim() {
        "" => Some(f64::NAN),
        field if na_values.iter().any(|value| value == field) => Some(f64::NAN),
        field => field.parse().ok(),
    }
}

impl Table {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The names of the columns, from left to right.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The column with this name.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such column.
    pub fn column(&self, name: &str) -> Result<&Column> {
        let at = self.names.iter().position(|known| known == name).ok_or_else(|| missing(name, &self.names))?;
        Ok(&self.columns[at])
    }

    /// Numeric columns side by side, float32 `[rows, columns]`.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such column, and `dtype` for a column of text.
    pub fn numbers(&self, names: &[&str]) -> Result<HostArray> {
        let text = |name: &str| Error::dtype("Table", format!("column {name:?} is text; labels() numbers it"));
        let column = |name: &&str| self.column(name)?.numbers().ok_or_else(|| text(name));
        let columns: Vec<Vec<f32>> = names.iter().map(column).collect::<Result<_>>()?;
        let values = (0..self.rows).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        HostArray::new(values, [self.rows, names.len()])
    }

    /// A column as class indices, int32 `[rows]`, and the classes: its distinct values in ascending
    /// order, text by code points.
    ///
    /// # Errors
    ///
    /// `argument` if there is no such column, and `dtype` for a column of fractions.
    pub fn labels(&self, name: &str) -> Result<(HostArray, Vec<String>)> {
        let (labels, classes) = match self.column(name)? {
            Column::Int(values) => number_values(values),
            Column::Text(values) => number_values(values),
            Column::Float(_) => {
                return Err(Error::dtype("Table", format!("column {name:?} has fractions, which are no classes")));
            }
        };
        Ok((HostArray::new(labels, [self.rows])?, classes))
    }
}

/// The index of each value among the distinct values, and the distinct values as text.
fn number_values<T: Ord + ToString>(values: &[T]) -> (Vec<i32>, Vec<String>) {
    let classes: BTreeSet<&T> = values.iter().collect();
    let numbers: BTreeMap<&T, i32> = classes.iter().copied().zip(0..).collect();
    (values.iter().map(|value| numbers[value]).collect(), classes.into_iter().map(T::to_string).collect())
}

fn missing(name: &str, names: &[String]) -> Error {
    Error::argument("Table", format!("there is no column {name:?}; there are {names:?}"))
}

fn file_error(message: String) -> Error {
    Error::file("read_csv", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table> {
        read_csv(text.as_bytes(), &CsvOptions::default())
    }

    #[test]
    fn columns_have_the_narrowest_type() {
        let table = read("a,b,c,d\n1,2,x,\n-3, 4.5 ,\"y, \"\"z\"\"\",1e3\r\n\n").unwrap();
        assert_eq!(table.len(), 2);
        assert_eq!(table.column("a").unwrap(), &Column::Int(vec![1, -3]));
        assert_eq!(table.column("b").unwrap(), &Column::Float(vec![2.0, 4.5]));
        assert_eq!(table.column("c").unwrap(), &Column::Text(vec!["x".to_string(), "y, \"z\"".to_string()]));
        let numbers = table.numbers(&["d", "a"]).unwrap();
        assert_eq!(numbers.shape(), [2, 2]);
        assert!(numbers.values::<f32>().unwrap()[0].is_nan());
        assert_eq!(numbers.values::<f32>().unwrap()[1..], [1.0, 1000.0, -3.0]);
        assert!(table.numbers(&["c"]).unwrap_err().is_dtype());
        let (labels, classes) = table.labels("a").unwrap();
        assert_eq!((labels.values::<i32>().unwrap(), classes), (&[1, 0][..], vec!["-3".to_string(), "1".to_string()]));
        assert!(table.labels("b").unwrap_err().is_dtype());
    }

    #[test]
    fn types_and_headers_are_chosen() {
        let types = HashMap::from([("1".to_string(), ColumnType::Text)]);
        let options = CsvOptions { header: false, delimiter: b';', types, ..CsvOptions::default() };
        let table = read_csv("1;2\n3;4".as_bytes(), &options).unwrap();
        assert_eq!(table.names(), ["0", "1"]);
        assert_eq!(table.column("1").unwrap(), &Column::Text(vec!["2".to_string(), "4".to_string()]));
        assert!(read("").unwrap().is_empty());
        assert!(read("a,b\n").unwrap().is_empty());
    }

    #[test]
    fn named_fields_are_missing_numbers() {
        let na_values = vec!["NA".to_string(), "?".to_string()];
        let table =
            read_csv("a,b\n1, NA \n?,x\n".as_bytes(), &CsvOptions { na_values, ..CsvOptions::default() }).unwrap();
        let Column::Float(values) = table.column("a").unwrap() else { panic!("numbers") };
        assert!(values[0] == 1.0 && values[1].is_nan());
        assert_eq!(table.column("b").unwrap(), &Column::Text(vec![" NA ".to_string(), "x".to_string()]));
        assert_eq!(read("a\nNA\n").unwrap().column("a").unwrap(), &Column::Text(vec!["NA".to_string()]));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(read("a,b\n1\n").unwrap_err().is_file());
        assert!(read("a,a\n1,2\n").unwrap_err().is_file());
        assert!(read_csv(&[b'a', b'\n', 0xff][..], &CsvOptions::default()).unwrap_err().is_file());
        let typed = |name: &str| CsvOptions {
            types: HashMap::from([(name.to_string(), ColumnType::Int)]),
            ..Default::default()
        };
        let error = read_csv("a\n1\nx\n".as_bytes(), &typed("a")).unwrap_err();
        assert_eq!(error.to_string(), "read_csv: column \"a\": row 1 has \"x\", which is no whole number within int32");
        assert!(read_csv("a\n1\n".as_bytes(), &typed("b")).unwrap_err().is_argument());
    }
}
