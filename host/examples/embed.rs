//! Starts a worker, sends it a number and prints the answer.

use isolane::{Message, Runtime, WorkerOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::new()?;
    // The name is what stack traces show.
    let script = "onmessage = ({ data }) => postMessage(data * 2)";
    let worker = runtime.spawn(WorkerOptions::from_source("double.mjs", script))?;

    worker.post(21)?;
    match worker.recv()? {
        Message::Number(n) => println!("twice 21 is {n}"),
        other => println!("not a number: {other:?}"),
    }

    worker.terminate();
    let outcome = worker.join();
    println!("{outcome:?}");
    Ok(())
}
