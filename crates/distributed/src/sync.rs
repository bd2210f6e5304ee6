//! Exchanges many tensors at once: copies the state of one rank, and compares the state of ranks.

use crate::{
    ProcessGroup, Work,
    collectives::bytes_of,
    transport::{Call, Collective},
};
use lanthorn_ir::{DType, Error, Result};
use lanthorn_tensor::{Tensor, no_grad};

/// Begins to copy tensors of rank `src` to all ranks, whose tensors have the same shapes and types.
pub(crate) fn broadcast_tensors(group: &ProcessGroup, tensors: Vec<Tensor>, src: usize) -> Result<Work<()>> {
    let total: usize = tensors.iter().map(|tensor| tensor.numel() * tensor.dtype().size()).sum();
    let mut bytes = Vec::new();
    if group.rank() == src {
        for tensor in &tensors {
            bytes.extend(bytes_of(tensor, tensor.dtype())?);
        }
    }
    bytes.resize(total, 0);
    let call = Call { collective: Collective::Broadcast(src), dtype: DType::U8, bytes: total };
    let answer = group.submit(call, bytes)?;
    let is_source = group.rank() == src;
    Ok(Work::collective("broadcast", answer, move |bytes| {
        let mut rest = &bytes[..];
        for tensor in tensors.iter().filter(|_| !is_source) {
            let (own, after) = rest.split_at(tensor.numel() * tensor.dtype().size());
            rest = after;
            let copy = Tensor::from_bytes(tensor.dtype(), own, tensor.shape(), tensor.device())?;
            no_grad(|| tensor.copy_(&copy))?;
        }
        Ok(())
    }))
}

/// Gathers the bytes of all ranks. Their lengths may differ.
pub(crate) fn all_gather_bytes(group: &ProcessGroup, own: &[u8]) -> Result<Vec<Vec<u8>>> {
    let gather = |bytes: Vec<u8>| -> Result<Vec<u8>> {
        let call = Call { collective: Collective::AllGather, dtype: DType::U8, bytes: bytes.len() };
        Work::collective("all_gather", group.submit(call, bytes)?, Ok).wait()
    };
    let lengths: Vec<usize> = gather((own.len() as u64).to_le_bytes().to_vec())?
        .as_chunks()
        .0
        .iter()
        .map(|n| u64::from_le_bytes(*n) as usize)
        .collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut padded = own.to_vec();
    padded.resize(longest, 0);
    let all = gather(padded)?;
    Ok(lengths.iter().enumerate().map(|(rank, length)| all[rank * longest..rank * longest + length].to_vec()).collect())
}

/// Checks that all ranks have the tensors of rank 0, by name. All ranks return the same error.
pub(crate) fn check_same(group: &ProcessGroup, op: &str, tensors: &[(String, Tensor)]) -> Result<()> {
    let own: Vec<String> =
        tensors.iter().map(|(name, tensor)| format!("{name}\t{} {}", tensor.dtype(), tensor.shape())).collect();
    let all = all_gather_bytes(group, own.join("\n").as_bytes())?;
    let texts: Vec<String> = all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    let tables: Vec<Vec<(&str, &str)>> =
        texts.iter().map(|text| text.lines().filter_map(|line| line.split_once('\t')).collect()).collect();
    let differences: Vec<String> =
        (1..tables.len()).filter_map(|rank| difference(&tables[0], &tables[rank], rank)).collect();
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::distributed(op, format!("the ranks have different models: {}", differences.join("; "))))
}

/// Describes the first differences between the tensors of a rank and of rank 0.
fn difference(first: &[(&str, &str)], other: &[(&str, &str)], rank: usize) -> Option<String> {
    /// The most names in a message.
    const SHOWN: usize = 10;
    let find = |table: &[(&str, &str)], name: &str| table.iter().find(|row| row.0 == name).map(|row| row.1.to_string());
    let mut found = Vec::new();
    for (name, text) in first {
        match find(other, name) {
            None => found.push(format!("rank {rank} has no {name}")),
            Some(theirs) if theirs != *text => {
                found.push(format!("{name} is {theirs} on rank {rank} and {text} on rank 0"))
            }
            Some(_) => {}
        }
    }
    let extra = other.iter().filter(|(name, _)| find(first, name).is_none());
    found.extend(extra.map(|(name, _)| format!("rank {rank} has {name}, which rank 0 lacks")));
    if found.is_empty() && first != other {
        found.push(format!("rank {rank} has the same parameters in another order"));
    }
    let others = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    if others > 0 {
        found.push(format!("and {others} more"));
    }
    (!found.is_empty()).then(|| found.join(", "))
}
