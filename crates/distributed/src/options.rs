//! Backends, and how a process knows its rank.

use lanthorn_ir::{Error, Result};
use std::{env, fmt, str::FromStr, time::Duration};

/// What exchanges the data of the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// TCP connections between all ranks, as PyTorch's `gloo`; always there. Tensors of any device,
    /// through the host.
    Tcp,
    /// Memory that the processes of one machine share; connections over TCP tell each other what is there.
    /// The results have the bits of [`Backend::Tcp`]. Tensors of any device, through the host.
    Shm,
    /// The machine's MPI, in a build with the feature `mpi` and a process that `mpirun` started.
    /// Tensors of any device, through the host.
    Mpi,
    /// NVIDIA's NCCL, in a build with the feature `nccl`. The reductions run on the GPUs.
    Nccl,
}

impl Backend {
    /// The name, as [`Backend::from_str`] takes it.
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

    /// `tcp`, `shm`, `mpi` or `nccl`.
    ///
    /// # Errors
    ///
    /// `argument` for another name.
    ///
    /// ```
    /// use lanthorn_distributed::Backend;
    /// assert_eq!("tcp".parse::<Backend>()?, Backend::Tcp);
    /// assert!("carrier pigeon".parse::<Backend>().unwrap_err().is_argument());
    /// # Ok::<(), lanthorn_tensor::Error>(())
    /// ```
    fn from_str(name: &str) -> Result<Backend> {
        let known = [Backend::Tcp, Backend::Shm, Backend::Mpi, Backend::Nccl];
        known.into_iter().find(|backend| backend.name() == name).ok_or_else(|| {
            Error::argument("init_process_group", format!("there is no backend {name:?}; choose tcp, shm, mpi or nccl"))
        })
    }
}

/// The options of [`init_process_group`](crate::init_process_group). What is `None` is taken from
/// the variables that `torchrun` sets. MPI knows the ranks itself.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// This process's number, from 0: `RANK`.
    pub rank: Option<usize>,
    /// The number of processes: `WORLD_SIZE`.
    pub world_size: Option<usize>,
    /// This process's number among those of its machine: `LOCAL_RANK`, 0 where it is not set.
    pub local_rank: Option<usize>,
    /// The host of rank 0: `MASTER_ADDR`.
    pub master_addr: Option<String>,
    /// A port on which rank 0 can listen: `MASTER_PORT`, or the one after it where the agent of
    /// `torchrun` says that it listens there.
    pub master_port: Option<u16>,
    /// How long a call waits for another rank (default: 30 seconds). A rank may compute as long
    /// between two calls, less the time that the others take.
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

/// The value of a variable, as a number of some type.
fn number<T: FromStr>(op: &str, name: &str) -> Result<T> {
    let Ok(text) = env::var(name) else {
        let message = format!("{name} is not set: start the program with torchrun or mpirun, or give the option");
        return Err(Error::argument(op, message));
    };
    text.parse().map_err(|_| Error::argument(op, format!("{name} is {text:?}, which is no number that it can be")))
}

impl InitOptions {
    /// The rank, which is below the number of ranks.
    pub(crate) fn rank(&self, op: &str) -> Result<usize> {
        let rank = self.rank.map_or_else(|| number(op, "RANK"), Ok)?;
        let ranks = self.world_size(op)?;
        if rank >= ranks {
            return Err(Error::argument(op, format!("rank {rank} is not one of {ranks}, counted from 0")));
        }
        Ok(rank)
    }

    /// The number of ranks, at least one.
    pub(crate) fn world_size(&self, op: &str) -> Result<usize> {
        /// As many threads read connections in every process.
        const MOST: usize = 4096;
        let ranks = self.world_size.map_or_else(|| number(op, "WORLD_SIZE"), Ok)?;
        if ranks == 0 || ranks > MOST {
            return Err(Error::argument(op, format!("a group has 1 to {MOST} ranks, not {ranks}")));
        }
        Ok(ranks)
    }

    /// The number among the ranks of this machine.
    pub(crate) fn local_rank(&self, variable: &str) -> usize {
        self.local_rank.or_else(|| env::var(variable).ok()?.parse().ok()).unwrap_or(0)
    }

    /// Where rank 0 listens. On `MASTER_PORT` the agent of `torchrun` may listen itself, for the
    /// store of PyTorch's groups, and says so; the port after it is taken then.
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
