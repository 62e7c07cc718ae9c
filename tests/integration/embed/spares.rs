//! Workers that take over a thread which was ready before them are as any others.

use super::*;

const WHO: &str = "
    let kept = 0;
    onmessage = ({ data }) => {
      globalThis.left = (globalThis.left ?? 0) + 1;
      if (data === 'end') close();
      else postMessage([name, kept++, globalThis.left, performance.now() < 60_000, [...Array(3).keys()].length]);
    };";

#[test]
fn workers_on_spare_threads_start_afresh() {
    for count in [0, 1, 3] {
        let runtime = Runtime::builder().spare_workers(count).build().unwrap();
        for round in 0..12 {
            // Every third is of another size, for which no spare one fits.
            let mut options =
                WorkerOptions::from_source("who.mjs", WHO).name(format!("worker {round}"));
            if round % 3 == 2 {
                options = options.heap_size(64 << 20).stack_size(1 << 20);
            }
            let worker = runtime.spawn(options).unwrap();
            worker.post("who").unwrap();
            let Message::Structured(answer) = receive(&worker) else {
                panic!("an array was expected");
            };
            let answer: (String, u32, u32, bool, u32) = answer.deserialize().unwrap();
            assert_eq!(answer, (format!("worker {round}"), 0, 1, true, 3));
            if round % 2 == 0 {
                worker.terminate();
                assert_eq!(join(worker), Outcome::Terminated);
            } else {
                worker.post("end").unwrap();
                assert_eq!(join(worker), Outcome::Finished { code: 0 });
            }
        }
    }
}

#[test]
fn a_spare_thread_may_be_ended_at_any_time() {
    for round in 0..30 {
        let runtime = Runtime::builder().spare_workers(2).build().unwrap();
        for _ in 0..3 {
            let options = WorkerOptions::from_source("loop.mjs", "for (;;);");
            let worker = runtime.spawn(options).unwrap();
            if round % 2 == 0 {
                std::thread::sleep(Duration::from_micros(300 * round));
            }
            worker.terminate();
            assert_eq!(join(worker), Outcome::Terminated);
        }
        // The runtime goes while its spare threads are at their start.
    }
}

#[test]
fn errors_and_limits_of_workers_on_spare_threads_are_their_own() {
    let runtime = Runtime::builder().spare_workers(1).build().unwrap();
    for _ in 0..4 {
        let options = WorkerOptions::from_source(
            "deep.mjs",
            "let depth = 0; const f = () => { depth++; f(); }; try { f(); } catch { postMessage(depth); } throw new RangeError('mine');",
        );
        let worker = runtime.spawn(options).unwrap();
        assert!(number(receive(&worker)) > 1000.0);
        let Outcome::Threw(error) = join(worker) else {
            panic!("it threw");
        };
        assert_eq!(
            (error.name.as_str(), error.message.as_str(), error.line),
            ("RangeError", "mine", 1)
        );
    }
}
