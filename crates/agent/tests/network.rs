//! A cancelled model request closes its connection immediately.

use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_util::sync::CancellationToken;
use toolpost_agent::models::{
    GenaiModel, Message, ModelEndpoint, ModelErrorKind, Patience, Provider, Question, Service,
};

#[tokio::test]
async fn cancellation_closes_the_connection() {
    for provider in Provider::ALL {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let cancel = CancellationToken::new();
        let given_up = cancel.clone();
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request_bytes = [0; 64 * 1024];
            assert!(stream.read(&mut request_bytes).await.unwrap() > 0);
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes()).await.unwrap();
            given_up.cancel();
            // Reads any remaining data up to the end of the stream.
            let ended = async { while stream.read(&mut request_bytes).await.is_ok_and(|read| read > 0) {} };
            tokio::time::timeout(Duration::from_secs(10), ended).await.is_ok()
        });
        let place = ModelEndpoint::new(provider, Some(&address), Some("key".to_owned())).unwrap();
        let model = GenaiModel::new(place, "scripted", toolpost_net::client().unwrap()).unwrap();
        let service = Service::new(Arc::new(model), Patience::default(), 1);
        let question =
            Question { messages: vec![Message::User { text: "x".to_owned() }], ..Question::default() };
        let fault = service.ask(&question, &cancel, &|_| ()).await.unwrap_err();
        assert_eq!((fault.kind, served.await.unwrap()), (ModelErrorKind::Cancelled, true), "{provider:?}");
    }
}
