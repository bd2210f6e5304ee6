//! Backends and options of a process group.

use lanthorn_ir::{Error, Result};
use std::{env, fmt, str::FromStr, time::Duration};

/// The transport that exchanges data between ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// TCP connections between all ranks, like PyTorch's `gloo`. It is always available. Tensors of
    /// any device pass through the host.
    Tcp,
    /// Shared memory of the processes of one machine, with TCP connections for coordination. The
    /// results are bitwise equal to those from [`Backend::Tcp`]. Tensors of any device pass through
    /// the host.
    Shm,
    /// The machine's MPI. It requires the feature `mpi`, and `mpirun` must start the process.
    /// Tensors of any device pass through the host.
    Mpi,
    /// NVIDIA's NCCL. It requires the feature `nccl`. The GPUs compute the reductions.
    Nccl,
}

impl Backend {
    /// Returns the name that [`Backend::from_str`] parses.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Tcp => "tcp",
            Backend::Shm => "shm",
            Backend::Mpi => "mpi",
            Backend::Nccl => "nccl",
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;

    /// Parses `tcp`, `shm`, `mpi` or `nccl`.
    ///
    /// # Errors
    ///
    /// `argument` for another name.
    ///
    /// ```
    /// use lanthorn::distributed::Backend;
    /// assert_eq!("tcp".parse::<Backend>()?, Backend::Tcp);
    /// assert!("carrier pigeon".parse::<Backend>().unwrap_err().is_argument());
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    fn from_str(name: &str) -> Result<Backend> {
        let known = [Backend::Tcp, Backend::Shm, Backend::Mpi, Backend::Nccl];
        known.into_iter().find(|backend| backend.name() == name).ok_or_else(|| {
            Error::argument("init_process_group", format!("there is no backend {name:?}; choose tcp, shm, mpi or nccl"))
        })
    }
}

/// The options of [`init_process_group`](crate::init_process_group). The default of an option is a
/// variable that `torchrun` sets. MPI determines the ranks itself.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// This process's rank, from 0: `RANK`.
    pub rank: Option<usize>,
    /// The number of processes: `WORLD_SIZE`.
    pub world_size: Option<usize>,
    /// This process's index on its machine: `LOCAL_RANK`, or 0 if it is not set.
    pub local_rank: Option<usize>,
    /// The host of rank 0: `MASTER_ADDR`.
    pub master_addr: Option<String>,
    /// A port on which rank 0 can listen: `MASTER_PORT`, or the next port if the agent of
    /// `torchrun` reports that it listens on `MASTER_PORT`.
    pub master_port: Option<u16>,
    /// The time that a call waits for another rank (default: 30 seconds). A rank may compute for as
    /// long between two calls, minus the waiting time of the others.
    pub timeout: Duration,
}

impl Default for InitOptions {
    fn default() -> InitOptions {
        InitOptions {
            rank: None,
            world_size: None,
            local_rank: None,
            master_addr: None,
            master_port: None,
            timeout: Duration::from_secs(30),
        }
    }
}

/// Parses the value of a variable as a number.
fn number<T: FromStr>(op: &str, name: &str) -> Result<T> {
    let Ok(text) = env::var(name) else {
        let message = format!("{name} is not set: start the program with torchrun or mpirun, or give the option");
        return Err(Error::argument(op, message));
    };
    text.parse().map_err(|_| Error::argument(op, format!("{name} is {text:?}, which is no number that it can be")))
}

impl InitOptions {
    /// Returns the rank, which is less than the number of ranks.
    pub(crate) fn rank(&self, op: &str) -> Result<usize> {
        let rank = self.rank.map_or_else(|| number(op, "RANK"), Ok)?;
        let ranks = self.world_size(op)?;
        if rank >= ranks {
            return Err(Error::argument(op, format!("rank {rank} is not one of {ranks}, counted from 0")));
        }
        Ok(rank)
    }

    /// Returns the number of ranks, at least one.
    pub(crate) fn world_size(&self, op: &str) -> Result<usize> {
        /// Every process has a thread for each connection.
        const MAX_RANKS: usize = 4096;
        let ranks = self.world_size.map_or_else(|| number(op, "WORLD_SIZE"), Ok)?;
        if ranks == 0 || ranks > MAX_RANKS {
            return Err(Error::argument(op, format!("a group has 1 to {MAX_RANKS} ranks, not {ranks}")));
        }
        Ok(ranks)
    }

    /// Returns the index among the ranks of this machine.
    pub(crate) fn local_rank(&self, variable: &str) -> usize {
        self.local_rank.or_else(|| env::var(variable).ok()?.parse().ok()).unwrap_or(0)
    }

    /// Returns the address on which rank 0 listens. If the agent of `torchrun` reports that it
    /// listens on `MASTER_PORT` for PyTorch's store, this is the next port.
    pub(crate) fn master(&self, op: &str) -> Result<(String, u16)> {
        let host = match &self.master_addr {
            Some(host) => host.clone(),
            None => env::var("MASTER_ADDR").map_err(|_| {
                Error::argument(op, "MASTER_ADDR is not set: start the program with torchrun, or give the option")
            })?,
        };
        if let Some(port) = self.master_port {
            return Ok((host, port));
        }
        let port: u16 = number(op, "MASTER_PORT")?;
        let is_taken = env::var("TORCHELASTIC_USE_AGENT_STORE").is_ok_and(|value| value == "True");
        Ok((host, if is_taken { port.wrapping_add(1).max(1024) } else { port }))
    }
}
