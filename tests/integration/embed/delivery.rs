//! Order, waiting and ends: what a sender and a receiver may rely on.

use super::*;

#[test]
fn messages_arrive_in_order_across_all_kinds() {
    let worker = spawn(ECHO);
    for round in 0..2_000 {
        worker.post(round).unwrap();
        worker.post(format!("short {round}")).unwrap();
        worker
            .post(format!("{:>300}", format!("long {round}")))
            .unwrap();
        worker.post(vec![round as u8; 5]).unwrap();
        worker
            .post_structured(&BTreeMap::from([("round", round)]))
            .unwrap();
        worker.post(i64::from(round)).unwrap();
    }
    for round in 0..2_000 {
        assert_eq!(receive(&worker), Message::Number(f64::from(round)));
        assert_eq!(text(receive(&worker)), format!("short {round}"));
        assert_eq!(text(receive(&worker)).trim(), format!("long {round}"));
        assert_eq!(buffer(receive(&worker)).as_ref(), [round as u8; 5]);
        let object: BTreeMap<String, i32> = structured(receive(&worker)).deserialize().unwrap();
        assert_eq!(object["round"], round);
        assert_eq!(receive(&worker), Message::BigInt(i128::from(round)));
    }
}

#[test]
fn a_queue_grows_while_nobody_reads() {
    const COUNT: u32 = 100_000;
    // The script answers only after it has read everything; until it is let go it reads nothing.
    let worker = spawn(
        "let expected = 0;
         onmessage = ({ data }) => {
           if (data === 'go') return;
           if (data !== expected++) throw new Error(`${data} instead of ${expected - 1}`);
           if (expected === 100_000) for (let i = 0; i < 100_000; i++) postMessage(i % 2 ? i : String(i));
         };",
    );
    for index in 0..COUNT {
        worker.post(index).unwrap();
    }
    for index in 0..COUNT {
        let expected = if index % 2 == 1 {
            Message::from(index)
        } else {
            Message::from(index.to_string())
        };
        assert_eq!(receive(&worker), expected);
    }
}

#[test]
fn several_threads_may_post_and_receive() {
    let worker = Arc::new(spawn(ECHO));
    let posters: Vec<_> = (0..4_u32)
        .map(|thread| {
            let worker = Arc::clone(&worker);
            std::thread::spawn(move || {
                for index in 0..500 {
                    worker.post(thread * 1000 + index).unwrap();
                }
            })
        })
        .collect();
    let receivers: Vec<_> = (0..2)
        .map(|_| {
            let worker = Arc::clone(&worker);
            std::thread::spawn(move || -> Vec<u32> {
                (0..1000).map(|_| number(receive(&worker)) as u32).collect()
            })
        })
        .collect();
    for poster in posters {
        poster.join().unwrap();
    }
    let mut all: Vec<u32> = receivers
        .into_iter()
        .flat_map(|receiver| receiver.join().unwrap())
        .collect();
    all.sort_unstable();
    let expected: Vec<u32> = (0..4)
        .flat_map(|thread| (0..500).map(move |index| thread * 1000 + index))
        .collect();
    assert_eq!(all, expected, "every message arrives once");
}

#[test]
fn try_recv_tells_empty_from_closed() {
    let worker = spawn("onmessage = ({ data }) => { postMessage(data); close(); };");
    assert_eq!(worker.try_recv().unwrap_err(), RecvError::Empty);
    worker.post("last").unwrap();
    let mut received = Err(RecvError::Empty);
    eventually("the message arrives", || {
        received = worker.try_recv();
        received != Err(RecvError::Empty)
    });
    assert_eq!(received, Ok(Message::String("last".to_owned())));
    eventually("then the lane is closed", || {
        worker.try_recv() == Err(RecvError::Closed)
    });
    assert_eq!(
        worker.recv().unwrap_err(),
        RecvError::Closed,
        "closed stays closed"
    );
}

#[test]
fn recv_timeout_gives_up_and_loses_nothing() {
    let worker = spawn(ECHO);
    let short = Duration::from_millis(1);
    assert_eq!(worker.recv_timeout(short).unwrap_err(), RecvError::Timeout);
    assert_eq!(
        worker.recv_timeout(Duration::ZERO).unwrap_err(),
        RecvError::Timeout
    );
    worker.post(5).unwrap();
    assert_eq!(worker.recv_timeout(LIMIT), Ok(Message::Number(5.0)));
    worker.post(6).unwrap();
    assert_eq!(
        worker.recv_timeout(Duration::MAX),
        Ok(Message::Number(6.0)),
        "no overflow"
    );
}

#[test]
fn recv_async_needs_no_certain_executor() {
    let worker = spawn(ECHO);
    for index in 0..100 {
        worker.post(index).unwrap();
        let message = block_on(worker.recv_async());
        assert_eq!(message, Ok(Message::Number(f64::from(index))));
    }
    worker.terminate();
    assert_eq!(block_on(worker.recv_async()), Err(RecvError::Closed));
}

#[test]
fn a_dropped_recv_async_loses_nothing() {
    let worker = spawn(ECHO);
    for index in 0..100 {
        {
            let mut future = pin!(worker.recv_async());
            let polled = future
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending(), "nothing was posted yet");
            worker.post(index).unwrap();
        }
        assert_eq!(receive(&worker), Message::Number(f64::from(index)));
    }
}

#[test]
fn what_a_worker_sent_before_its_end_is_received_after_it() {
    let worker = spawn("for (let i = 0; i < 1000; i++) postMessage(i % 2 ? i : { i });");
    // The end is waited for without taking a message: posts fail from then on.
    eventually("posts to an ended worker fail", || {
        matches!(worker.post(()), Err(PostError::Closed))
    });
    for index in 0..1000_u32 {
        match receive(&worker) {
            Message::Number(number) => assert_eq!(number, f64::from(index)),
            message => {
                let object: BTreeMap<String, u32> = structured(message).deserialize().unwrap();
                assert_eq!(object["i"], index);
            }
        }
    }
    assert_eq!(worker.recv_timeout(LIMIT), Err(RecvError::Closed));
}

#[test]
fn posting_to_an_ended_worker_is_an_error() {
    let worker = spawn("throw new Error('early');");
    assert_eq!(worker.recv_timeout(LIMIT), Err(RecvError::Closed));
    eventually("a post fails", || {
        matches!(worker.post(1), Err(PostError::Closed))
    });
    assert!(
        matches!(worker.post_structured(&[1]), Err(PostError::Closed)),
        "structured values too"
    );
}

#[test]
fn messages_posted_before_the_script_has_loaded_wait_for_it() {
    // HTML enables the port's message queue as soon as the script waits at its top level; here what nobody listens to yet is kept until then.
    let late = spawn(
        "await new Promise((resolve) => setTimeout(resolve, 20));
         let n = 0;
         onmessage = ({ data }) => { postMessage([n++, data].join()); };
         await new Promise((resolve) => setTimeout(resolve, 1e9));",
    );
    for index in 0..50 {
        late.post(index).unwrap();
    }
    for index in 0..50 {
        assert_eq!(text(receive(&late)), format!("{index},{index}"));
    }
    late.terminate();

    let early = spawn("let n = 0; onmessage = ({ data }) => postMessage([n++, data].join());");
    for index in 0..50 {
        early.post(index).unwrap();
    }
    for index in 0..50 {
        assert_eq!(text(receive(&early)), format!("{index},{index}"));
    }
}
