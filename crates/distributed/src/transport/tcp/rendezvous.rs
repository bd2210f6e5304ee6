//! The rendezvous of the ranks: all connect to rank 0, which sends each rank the addresses of the
//! others.
//!
//! A rank sends its index, its number of ranks, and its port. Rank 0 checks them, and answers with
//! the addresses or with the reason why there is no group. Then every rank connects to the ranks
//! before it. Connections have no encryption and no authentication: as with `gloo`, the ranks must
//! trust the network.

use crate::InitOptions;
use lanthorn_ir::{Error, Result};
use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    time::{Duration, Instant},
};

const OP: &str = "init_process_group";
/// The first bytes of a rank's greeting: the name and version of the protocol.
const MAGIC: [u8; 8] = *b"lanth\0\0\x01";
/// The longest time that a connection which is not a rank can block rank 0.
const GREETING: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);
/// The longest answer of rank 0 in bytes.
const LONGEST: u32 = 16 << 20;

fn error(message: impl Into<String>) -> Error {
    Error::distributed(OP, message)
}

/// The greeting that a rank sends to rank 0, and to other ranks that it connects to.
struct Greeting {
    rank: usize,
    world_size: usize,
    port: u16,
}

impl Greeting {
    fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.rank as u32).to_le_bytes());
        bytes.extend((self.world_size as u32).to_le_bytes());
        bytes.extend(self.port.to_le_bytes());
        stream.write_all(&bytes)
    }

    fn read(stream: &mut TcpStream) -> io::Result<Greeting> {
        let mut bytes = [0; 18];
        stream.read_exact(&mut bytes)?;
        if bytes[..8] != MAGIC {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i])) as usize;
        Ok(Greeting { rank: number(8), world_size: number(12), port: u16::from_le_bytes([bytes[16], bytes[17]]) })
    }
}

/// The end of the time for the rendezvous.
#[derive(Clone, Copy)]
struct Deadline {
    end: Option<Instant>,
    timeout: Duration,
}

impl Deadline {
    fn new(timeout: Duration) -> Deadline {
        Deadline { end: Instant::now().checked_add(timeout), timeout }
    }

    fn left(&self) -> Duration {
        self.end.map_or(self.timeout, |end| end.saturating_duration_since(Instant::now()))
    }

    fn is_over(&self) -> bool {
        self.left().is_zero()
    }

    /// Returns the remaining time, at least a millisecond, because 0 means no limit for a socket.
    fn limit(&self) -> Option<Duration> {
        Some(self.left().max(Duration::from_millis(1)))
    }
}

/// Connects to all ranks. The result has a connection for each rank except this one.
pub(super) fn connect(options: &InitOptions) -> Result<Vec<Option<TcpStream>>> {
    let (rank, ranks) = (options.rank(OP)?, options.world_size(OP)?);
    let deadline = Deadline::new(options.timeout);
    let mut connections: Vec<Option<TcpStream>> = (0..ranks).map(|_| None).collect();
    if ranks == 1 {
        return Ok(connections);
    }
    let (host, port) = options.master(OP)?;
    let at = format!("{host}:{port}");
    let addresses: Vec<SocketAddr> = match (host.as_str(), port).to_socket_addrs() {
        Ok(addresses) => addresses.collect(),
        Err(failed) => return Err(error(format!("MASTER_ADDR {host} is no address of a machine: {failed}"))),
    };
    if rank == 0 {
        let listener = TcpListener::bind(&addresses[..]).map_err(|failed| {
            error(format!("rank 0 cannot listen at {at}: {failed}; choose another MASTER_PORT, or its own MASTER_ADDR"))
        })?;
        welcome(&listener, &mut connections, deadline)?;
    } else {
        let mut master = dial(&addresses, deadline)
            .ok_or_else(|| error(format!("rank 0 did not answer at {at} within {:?}", options.timeout)))?;
        let listener = listener_beside(&master).map_err(|failed| error(format!("cannot listen: {failed}")))?;
        let addresses = introduce(&mut master, rank, ranks, &listener, deadline)?;
        connections[0] = Some(master);
        join(rank, ranks, &addresses, &listener, &mut connections, deadline)?;
    }
    Ok(connections)
}

/// Opens a listener on the interface that reaches rank 0.
fn listener_beside(master: &TcpStream) -> io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind((master.local_addr()?.ip(), 0))?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Connects as soon as there is a listener. Returns `None` after the deadline.
fn dial(addresses: &[SocketAddr], deadline: Deadline) -> Option<TcpStream> {
    loop {
        for address in addresses {
            let stream = TcpStream::connect_timeout(address, deadline.limit()?);
            // A socket can connect to itself if no process listens on the port.
            if let Ok(stream) = stream
                && stream.local_addr().ok() != stream.peer_addr().ok()
            {
                return Some(stream);
            }
        }
        if deadline.is_over() {
            return None;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Returns the next connection that greets as a rank, or `None` after the deadline.
fn accept(listener: &TcpListener, deadline: Deadline) -> Result<Option<(TcpStream, SocketAddr, Greeting)>> {
    let failed = |failed: io::Error| error(format!("cannot accept connections: {failed}"));
    listener.set_nonblocking(true).map_err(failed)?;
    loop {
        match listener.accept() {
            Ok((mut stream, address)) => {
                let limit = deadline.left().min(GREETING).max(Duration::from_millis(1));
                let greeting = stream
                    .set_nonblocking(false)
                    .and_then(|()| stream.set_read_timeout(Some(limit)))
                    .and_then(|()| Greeting::read(&mut stream));
                // A connection without a greeting is not a rank.
                if let Ok(greeting) = greeting {
                    return Ok(Some((stream, address, greeting)));
                }
            }
            Err(waiting) if waiting.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(PAUSE),
            Err(other) => return Err(failed(other)),
        }
        if deadline.is_over() {
            return Ok(None);
        }
    }
}

/// Waits for all ranks on rank 0, and sends each the addresses of the others.
fn welcome(listener: &TcpListener, connections: &mut [Option<TcpStream>], deadline: Deadline) -> Result<()> {
    let mut addresses = vec![String::new(); connections.len()];
    let verdict = gather_ranks(listener, connections, &mut addresses, deadline);
    let answer = match &verdict {
        Ok(()) => format!("+{}", addresses.join("\n")),
        Err(reason) => format!("-{}", reason.message()),
    };
    for stream in connections.iter_mut().flatten() {
        let length = (answer.len() as u32).to_le_bytes();
        let sent = stream
            .set_write_timeout(deadline.limit())
            .and_then(|()| stream.write_all(&length))
            .and_then(|()| stream.write_all(answer.as_bytes()));
        if let (Ok(()), Err(failed)) = (&verdict, sent) {
            return Err(error(format!("a rank left while the group was made: {failed}")));
        }
    }
    verdict
}

fn gather_ranks(
    listener: &TcpListener,
    connections: &mut [Option<TcpStream>],
    addresses: &mut [String],
    deadline: Deadline,
) -> Result<()> {
    let ranks = connections.len();
    while connections.iter().skip(1).any(Option::is_none) {
        let Some((stream, address, greeting)) = accept(listener, deadline)? else {
            let missing: Vec<String> =
                (1..ranks).filter(|rank| connections[*rank].is_none()).map(|rank| rank.to_string()).collect();
            return Err(error(format!(
                "no connection of ranks [{}] within {:?}",
                missing.join(", "),
                deadline.timeout
            )));
        };
        let Greeting { rank, world_size, port } = greeting;
        let slot = connections.get_mut(rank).filter(|_| rank > 0 && world_size == ranks);
        let Some(slot) = slot else {
            return Err(error(format!("rank {rank} of {world_size} came to a group of {ranks} ranks")));
        };
        if slot.replace(stream).is_some() {
            return Err(error(format!("two processes have the rank {rank}")));
        }
        addresses[rank] = SocketAddr::new(address.ip(), port).to_string();
    }
    Ok(())
}

/// Greets rank 0, and returns the addresses of all ranks.
fn introduce(
    master: &mut TcpStream,
    rank: usize,
    ranks: usize,
    (_, port): &(TcpListener, u16),
    deadline: Deadline,
) -> Result<Vec<SocketAddr>> {
    let mut exchange = || -> io::Result<String> {
        Greeting { rank, world_size: ranks, port: *port }.write(master)?;
        master.set_read_timeout(deadline.limit())?;
        let mut length = [0; 4];
        master.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut answer = vec![0; length as usize];
        master.read_exact(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    };
    let answer = exchange().map_err(|failed| match failed.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            error(format!("the group was not complete within {:?}", deadline.timeout))
        }
        _ => error(format!("rank 0 left while the group was made: {failed}")),
    })?;
    if let Some(reason) = answer.strip_prefix('-') {
        return Err(error(reason));
    }
    let parsed = answer.strip_prefix('+').map(|lines| lines.split('\n').map(|line| line.parse().ok()));
    let addresses: Vec<Option<SocketAddr>> = parsed.into_iter().flatten().collect();
    if addresses.len() != ranks || addresses.iter().skip(1).any(Option::is_none) {
        return Err(error(format!("what answers at MASTER_ADDR is no rank 0 of {ranks} ranks")));
    }
    // The address of rank 0 is not used, since a connection to it exists.
    let unused = SocketAddr::from(([0, 0, 0, 0], 0));
    Ok(addresses.into_iter().map(|address| address.unwrap_or(unused)).collect())
}

/// Connects to the ranks between 0 and this one, and accepts the ranks after it.
fn join(
    rank: usize,
    ranks: usize,
    addresses: &[SocketAddr],
    (listener, _): &(TcpListener, u16),
    connections: &mut [Option<TcpStream>],
    deadline: Deadline,
) -> Result<()> {
    let late = |other: String| error(format!("rank {rank} and {other} did not connect within {:?}", deadline.timeout));
    for (other, address) in addresses.iter().enumerate().take(rank).skip(1) {
        let mut stream = dial(&[*address], deadline).ok_or_else(|| late(format!("rank {other}")))?;
        let greeting = Greeting { rank, world_size: ranks, port: 0 };
        greeting.write(&mut stream).map_err(|failed| error(format!("rank {other} left: {failed}")))?;
        connections[other] = Some(stream);
    }
    while connections.iter().skip(rank + 1).any(Option::is_none) {
        let Some((stream, _, greeting)) = accept(listener, deadline)? else {
            return Err(late("a later rank".into()));
        };
        if greeting.rank > rank && greeting.rank < ranks {
            connections[greeting.rank] = Some(stream);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_greet_as_a_rank_is_not_accepted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut stranger = TcpStream::connect(address).unwrap();
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let mut rank = TcpStream::connect(address).unwrap();
        Greeting { rank: 3, world_size: 4, port: 99 }.write(&mut rank).unwrap();
        let (_, _, greeting) = accept(&listener, Deadline::new(Duration::from_secs(20))).unwrap().unwrap();
        assert_eq!((greeting.rank, greeting.world_size, greeting.port), (3, 4, 99));
        assert!(accept(&listener, Deadline::new(Duration::from_millis(20))).unwrap().is_none());
    }
}
