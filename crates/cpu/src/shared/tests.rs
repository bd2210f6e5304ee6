use super::*;
use crate::CpuBackend;
use lanthorn_ir::{
    Backend, DType,
    backend::{BufferId, Read, SharedMemory},
};
use std::thread;

fn read(device: &CpuBackend, buffer: BufferId) -> Vec<u8> {
    let read = Read { buffer, dtype: DType::U8, offset: 0, elements: 4 };
    pollster::block_on(device.submit(&[], &[read]).reads.remove(0)).unwrap()
}

#[test]
fn two_devices_have_the_same_bytes_by_name() {
    let device = CpuBackend::poisoned();
    let buffer = device.allocate_shared(4).unwrap();
    assert_eq!(read(&device, buffer), [0; 4]);
    let name = device.send_shared(buffer).unwrap();
    thread::spawn(move || {
        let other = CpuBackend::new();
        let opened = other.open_shared(&name).unwrap();
        other.upload(opened, DType::U8, 0, &[1, 2, 3, 4]).unwrap();
    })
    .join()
    .unwrap();
    assert_eq!(read(&device, buffer), [1, 2, 3, 4]);
}

#[test]
fn a_block_lives_while_a_holder_or_a_name_refers_to_it() {
    let [first, second] = [CpuBackend::new(), CpuBackend::new()];
    let buffer = first.allocate_shared(4).unwrap();
    first.upload(buffer, DType::U8, 0, &[7; 4]).unwrap();
    let name = first.send_shared(buffer).unwrap();
    first.free(buffer);
    let opened = second.open_shared(&name).unwrap();
    assert_eq!(read(&second, opened), [7; 4]);
    second.free(opened);
    let error = second.open_shared(&name).unwrap_err();
    assert!(error.is_disposed() && error.message().contains("let go"), "{error}");
    // The reference of a name that is never opened is dropped.
    let buffer = first.allocate_shared(4).unwrap();
    let name = first.send_shared(buffer).unwrap();
    first.free(buffer);
    second.release_shared(&name);
    assert!(second.open_shared(&name).unwrap_err().is_disposed());
}

#[test]
fn a_device_that_ends_lets_go_and_so_does_one_that_is_released() {
    let [first, second] = [CpuBackend::new(), CpuBackend::new()];
    let buffer = first.allocate_shared(4).unwrap();
    let name = first.send_shared(buffer).unwrap();
    second.open_shared(&name).unwrap();
    drop(first);
    let third = CpuBackend::new();
    let opened = third.open_shared(&name).unwrap();
    third.free(opened);
    // SAFETY: the second device is not used after this.
    unsafe { release_holder(second.shared_holder()).unwrap() };
    assert!(third.open_shared(&name).unwrap_err().is_disposed());
}

#[test]
fn names_of_elsewhere_are_errors() {
    let device = CpuBackend::new();
    let buffer = device.allocate_shared(4).unwrap();
    let name = device.send_shared(buffer).unwrap();
    let other = lanthorn_ir::SharedName { space: name.space ^ 1, file: None, ..name.clone() };
    let error = device.open_shared(&other).unwrap_err();
    assert!(error.kind_name() == "device" && error.message().contains("another core"), "{error}");
    for file in ["/etc/passwd", "/dev/shm/../../etc/lanthorn-1", "lanthorn-1"] {
        let wrong = lanthorn_ir::SharedName { file: Some(file.into()), ..other.clone() };
        assert!(device.open_shared(&wrong).unwrap_err().is_argument());
    }
    let same_file = lanthorn_ir::SharedName { file: name.file.clone(), ..other };
    assert!(device.open_shared(&same_file).unwrap_err().is_argument(), "the header has another identity");
    let longer = lanthorn_ir::SharedName { bytes: 8, ..name };
    assert!(device.open_shared(&longer).unwrap_err().is_argument());
    let private = device.allocate(4).unwrap();
    assert!(device.send_shared(private).unwrap_err().kind_name() == "device");
}

#[test]
fn more_memory_than_there_is_is_an_error() {
    let device = CpuBackend::new();
    let error = device.allocate_shared(u64::MAX).unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
}
