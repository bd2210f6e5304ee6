use super::*;
use crate::proto::StringStringEntryProto;

fn tensor(entries: &[(&str, &str)]) -> TensorProto {
    let entry = |&(key, value): &(&str, &str)| StringStringEntryProto {
        key: Some(key.to_string()),
        value: Some(value.to_string()),
    };
    TensorProto {
        name: Some("w".to_string()),
        dims: vec![2, 2],
        data_type: Some(DataType::Uint8 as i32),
        data_location: Some(1),
        external_data: entries.iter().map(entry).collect(),
        ..TensorProto::default()
    }
}

fn files() -> HashMap<String, Vec<u8>> {
    HashMap::from([("a/w.bin".to_string(), (0..10).collect())])
}

fn error_of(entries: &[(&str, &str)]) -> String {
    read(&tensor(entries), &files()).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn elements_come_from_the_range_that_the_tensor_names() {
    let bytes = |entries| read(&tensor(entries), &files()).unwrap().into_bytes();
    assert_eq!(bytes(&[("location", "a/w.bin")]), [0, 1, 2, 3]);
    assert_eq!(bytes(&[("location", "./a//./w.bin"), ("offset", "6"), ("length", "4")]), [6, 7, 8, 9]);
    assert_eq!(bytes(&[("location", "a/w.bin"), ("checksum", "?"), ("offset", "1")]), [1, 2, 3, 4]);
}

#[test]
fn errors_name_the_tensor_and_the_location() {
    let missing = error_of(&[("location", "b.bin")]);
    assert_eq!(missing, "tensor `w`: external data `b.bin`: there is no such file");
    assert!(
        error_of(&[("location", "a/w.bin"), ("offset", "7")])
            .ends_with("4 bytes from 7 on are needed, and the file has 10")
    );
    assert!(error_of(&[("location", "a/w.bin"), ("offset", &u64::MAX.to_string())]).contains("the file has 10"));
    let length = error_of(&[("location", "a/w.bin"), ("length", "5")]);
    assert!(length.ends_with("it has 5 bytes, and uint8 of shape [2, 2] takes 4"));
    assert!(error_of(&[]).contains("`location` is missing"));
    for offset in ["-1", "x", "", "99999999999999999999999"] {
        assert!(error_of(&[("location", "a/w.bin"), ("offset", offset)]).contains("`offset`"), "{offset}");
    }
    assert!(error_of(&[("location", "a/w.bin"), ("location", "a/w.bin")]).contains("`location`"));
}

#[test]
fn locations_stay_in_the_folder() {
    for location in [
        "/a/w.bin",
        "../w.bin",
        "a/../../w.bin",
        "a/..",
        "",
        ".",
        "C:w.bin",
        "C:/w.bin",
        "..\\w.bin",
        "\\\\h\\w",
        "a\0",
    ] {
        assert!(error_of(&[("location", location)]).contains("leaves the model's folder"), "{location}");
    }
}

#[cfg(unix)]
#[test]
fn folders_give_regular_files_that_are_in_them() {
    use std::{fs, os::unix};
    let root = std::env::temp_dir().join(format!("lanthorn-onnx-external-{}", std::process::id()));
    let folder = root.join("model");
    fs::create_dir_all(folder.join("a")).unwrap();
    fs::write(folder.join("a/w.bin"), [0, 1, 2, 3, 4, 5]).unwrap();
    fs::write(root.join("secret"), [9; 8]).unwrap();
    unix::fs::symlink("a/w.bin", folder.join("inside")).unwrap();
    unix::fs::symlink("../secret", folder.join("outside")).unwrap();
    unix::fs::symlink("/dev/zero", folder.join("a/zero")).unwrap();
    let _socket = unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    let source = Folder::of(&folder.join("model.onnx"));
    let read = |location: &str, offset: &str| {
        read(&tensor(&[("location", location), ("offset", offset)]), &source)
            .map(TensorData::into_bytes)
            .map_err(|e| e.to_string())
    };
    let (good, link) = (read("a/w.bin", "1"), read("inside", "2"));
    let errors =
        ["outside", "a/zero", "a", "b", "a/w.bin/c", "socket"].map(|location| read(location, "0").unwrap_err());
    let short = read("a/w.bin", "3").unwrap_err();
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(good.unwrap(), [1, 2, 3, 4]);
    assert_eq!(link.unwrap(), [2, 3, 4, 5]);
    let parts = ["leaves", "leaves", "no regular file", "no such file", "no such file", "no regular file"];
    for (error, part) in errors.iter().zip(parts) {
        assert!(error.contains(part), "{error}");
    }
    assert!(short.contains("the file has 6"));
}
