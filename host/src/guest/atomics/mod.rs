//! `memory.atomic.wait32`, `wait64` and `notify` of guests (threads proposal), done by the host: so that a guest that waits ends with its worker.
//! [`rewrite`] makes calls of the instructions, [`lot`] holds the waiters.

pub(crate) mod lot;
pub(crate) mod rewrite;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use wasmtime::{Caller, Extern, Linker, SharedMemory, Trap};

use self::lot::{LOT, Waiter, Woken};
use self::rewrite::{Access, Added};
use super::instance::GuestData;

/// Gives a changed module the functions that it imports of the host.
pub(super) fn link(
    linker: &mut Linker<GuestData>,
    module: &wasmtime::Module,
    added: &Added,
) -> wasmtime::Result<()> {
    for (access, memory, name) in added.imports() {
        let memory = added.memory(memory);
        let Some(ty) = module
            .imports()
            .find(|import| import.module() == added.namespace && import.name() == name)
            .and_then(|import| import.ty().func().cloned())
        else {
            continue;
        };
        linker.func_new(
            &added.namespace,
            &name,
            ty,
            move |mut caller, arguments, results| {
                let numbers: Vec<u64> = arguments.iter().map(bits).collect();
                let Some(Extern::SharedMemory(memory)) = caller.get_export(&memory) else {
                    return Err(Trap::AtomicWaitNonSharedMemory.into());
                };
                let answer = match (access, numbers.as_slice()) {
                    (Access::Notify, &[address, most, offset]) => {
                        notify(&memory, address, offset, most)?
                    }
                    (Access::Wait32, &[address, expected, timeout, offset]) => wait(
                        &caller,
                        &memory,
                        Word::Narrow,
                        address,
                        offset,
                        expected,
                        timeout,
                    )?,
                    (Access::Wait64, &[address, expected, timeout, offset]) => wait(
                        &caller,
                        &memory,
                        Word::Wide,
                        address,
                        offset,
                        expected,
                        timeout,
                    )?,
                    _ => return Err(wasmtime::Error::msg("an atomic access has other operands")),
                };
                if let Some(result) = results.first_mut() {
                    *result = wasmtime::Val::I32(answer.cast_signed());
                }
                Ok(())
            },
        )?;
    }
    Ok(())
}

/// The bits of an integer, without a sign.
fn bits(value: &wasmtime::Val) -> u64 {
    match value {
        wasmtime::Val::I32(number) => u64::from(number.cast_unsigned()),
        wasmtime::Val::I64(number) => number.cast_unsigned(),
        _ => 0,
    }
}

/// The size of what a wait compares.
#[derive(Clone, Copy)]
enum Word {
    Narrow = 4,
    Wide = 8,
}

/// The place of a word of a memory. The checks and their order are wasmtime's own for these instructions.
fn locate(memory: &SharedMemory, address: u64, offset: u64, size: u64) -> Result<*mut u8, Trap> {
    let start = address.checked_add(offset).ok_or(Trap::MemoryOutOfBounds)?;
    if start % size != 0 {
        return Err(Trap::HeapMisaligned);
    }
    let bytes = memory.data();
    let end = start.checked_add(size).ok_or(Trap::MemoryOutOfBounds)?;
    if end > bytes.len() as u64 {
        return Err(Trap::MemoryOutOfBounds);
    }
    let start = usize::try_from(start).map_err(|_| Trap::MemoryOutOfBounds)?;
    Ok(bytes.as_ptr().wrapping_add(start).cast_mut().cast())
}

fn notify(memory: &SharedMemory, address: u64, offset: u64, most: u64) -> wasmtime::Result<u32> {
    let word = locate(memory, address, offset, Word::Narrow as u64)?;
    Ok(LOT.notify(word as usize, u32::try_from(most).unwrap_or(u32::MAX)))
}

/// `timeout` is a signed number of nanoseconds; below 0 means for ever.
fn wait(
    caller: &Caller<'_, GuestData>,
    memory: &SharedMemory,
    size: Word,
    address: u64,
    offset: u64,
    expected: u64,
    timeout: u64,
) -> wasmtime::Result<u32> {
    let word = locate(memory, address, offset, size as u64)?;
    // A time too far away for the clock is for ever.
    let deadline = u64::try_from(timeout.cast_signed())
        .ok()
        .and_then(|timeout| Instant::now().checked_add(Duration::from_nanos(timeout)));
    let is_expected = || match size {
        Word::Narrow => {
            // SAFETY: `locate` found the word inside the memory and aligned; the memory neither shrinks nor moves while `memory` holds it, and all who
            // share it access it as atomics or accept a race, as the threads proposal has it.
            let word = unsafe { AtomicU32::from_ptr(word.cast()) };
            u64::from(u32::from_le(word.load(Ordering::SeqCst))) == expected
        }
        Word::Wide => {
            // SAFETY: as above, for eight bytes.
            let word = unsafe { AtomicU64::from_ptr(word.cast()) };
            u64::from_le(word.load(Ordering::SeqCst)) == expected
        }
    };
    let waiter = Waiter::current();
    let woken = caller.data().control.interruptible(&waiter, || {
        LOT.wait(word as usize, is_expected, deadline, &waiter)
    });
    match woken {
        Woken::Interrupted => Err(Trap::Interrupt.into()),
        woken => Ok(woken as u32),
    }
}
