//! Client of embedding services, for the API that OpenAI, Ollama, vLLM and llama.cpp share.

use serde::{Deserialize, Serialize};

use crate::post::Post;
use crate::post_error::PostError;

/// An embedding service that the operator configured. No other host is contacted.
#[derive(Debug, Clone)]
pub struct Embeddings {
    post: Post,
    model: String,
}

/// Error of a request to an embedding service.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingsError {
    /// The HTTP request failed.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The response is not that of an embedding service.
    #[error("{place} did not answer like an embedding service: {what}")]
    Answer {
        /// The host and port of the service.
        place: String,
        /// The problem with the answer, as a clause.
        what: String,
    },
}

#[derive(Serialize)]
struct EmbeddingRequest<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'a str,
}

#[derive(Deserialize)]
struct EmbeddingReply {
    data: Vec<EmbeddingItem>,
}

#[derive(Deserialize)]
struct EmbeddingItem {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Embeddings {
    /// Configures an embedding service by its URL, such as `http://127.0.0.1:11434/v1`, the model to use, and the API
    /// key.
    ///
    /// # Errors
    /// If the URL or the key is invalid, or TLS cannot be set up.
    pub fn new(address: &str, model: &str, key: Option<String>) -> Result<Self, PostError> {
        let address = address.trim().trim_end_matches('/');
        let whole = if address.ends_with("/embeddings") {
            address.to_owned()
        } else {
            format!("{address}/embeddings")
        };
        Ok(Self { post: Post::new(&whole, key)?, model: model.to_owned() })
    }

    /// Returns the host and port of the embedding service.
    #[must_use]
    pub fn place(&self) -> String {
        self.post.place()
    }

    /// Returns the name of the embedding model.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Computes the embedding of each text. Calls `stop` while it waits for the service, and cancels the request once
    /// `stop` returns true.
    ///
    /// # Errors
    /// If the service cannot be reached, answers with an error, or does not return one vector per text.
    pub fn ask(&self, texts: &[&str], stop: &dyn Fn() -> bool) -> Result<Vec<Vec<f32>>, EmbeddingsError> {
        let bad = |what: String| EmbeddingsError::Answer { place: self.place(), what };
        let request = EmbeddingRequest { model: &self.model, input: texts, encoding_format: "float" };
        let body = serde_json::to_vec(&request).map_err(|error| bad(error.to_string()))?;
        let answer = self.post.send(&body, stop)?;
        let answered: EmbeddingReply =
            serde_json::from_slice(&answer).map_err(|error| bad(error.to_string()))?;
        if answered.data.len() != texts.len() {
            return Err(bad(format!(
                "embeddings returned: {}, requested: {}",
                answered.data.len(),
                texts.len()
            )));
        }
        let mut out: Vec<Option<Vec<f32>>> = vec![None; texts.len()];
        for (at, embedded) in answered.data.into_iter().enumerate() {
            let at = embedded.index.unwrap_or(at);
            let place = out
                .get_mut(at)
                .ok_or_else(|| bad(format!("an embedding has the index {at}, which is out of range")))?;
            *place = Some(embedded.embedding);
        }
        let dims = out.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let whole = |vector: Option<Vec<f32>>| {
            vector.filter(|vector| {
                vector.len() == dims && dims > 0 && vector.iter().all(|part| part.is_finite())
            })
        };
        let vectors: Option<Vec<Vec<f32>>> = out.into_iter().map(whole).collect();
        vectors.ok_or_else(|| bad("embeddings are missing, differ in length, or are not finite".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Embeddings;
    use std::io::{BufRead, BufReader, Read, Write};
    use toolpost_test_rows::each;

    /// Starts a test service that answers one request. Returns its URL, and a thread that returns the request.
    #[expect(clippy::disallowed_methods, reason = "the test plays the role of the service")]
    fn service(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let served = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut head, mut line) = (String::new(), String::new());
            while reader.read_line(&mut line).unwrap() > 2 {
                head.push_str(&line);
                line.clear();
            }
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let mut body = vec![0; length.trim().parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            reader.into_inner().write_all(answer.as_bytes()).unwrap();
            head + &String::from_utf8(body).unwrap()
        });
        (address, served)
    }

    #[test]
    fn embedding_responses_are_parsed_and_errors_reported() {
        let rows = [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 84\r\n\r\n{\"data\":[{\"index\":1,\"embedding\":[0.5,2]},{\"index\":0,\"embedding\":[1,0]}],\"model\":\"m\"}",
                "[[1.0, 0.0], [0.5, 2.0]]",
            ),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"data\":[{\"embed\r\n29;x=1\r\nding\":[1,0]},{\"embedding\":[0,1]}],\"m\":1} \r\n0\r\n\r\n",
                "[[1.0, 0.0], [0.0, 1.0]]",
            ),
            (
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\nno key!",
                "PLACE answered 401 Unauthorized: no key!; set the service's key in the environment \
                 variable TOOLPOST_EMBEDDING_KEY",
            ),
            (
                "HTTP/1.1 404 Not Found\r\n\r\nmodel m is not there",
                "PLACE answered 404 Not Found: model m is not there; check the URL and the name of the model",
            ),
            (
                "HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\n\r\n",
                "PLACE answered 302 Found; redirects are not followed: configure the target URL",
            ),
            (
                "HTTP/1.1 200 OK\r\n\r\n{\"data\":[{\"embedding\":[1]}]}",
                "PLACE did not answer like an embedding service: embeddings returned: 1, requested: 2",
            ),
            (
                "HTTP/1.1 200 OK\r\n\r\n{\"data\":[{\"embedding\":[1]},{\"embedding\":[1,2]}]}",
                "PLACE did not answer like an embedding service: embeddings are missing, differ in length, \
                 or \
                 are not finite",
            ),
            (
                "hello\r\n\r\n",
                "no usable answer from PLACE: invalid HTTP version parsed; start the service, or check its URL",
            ),
        ];
        each(rows, |(answer, wanted)| {
            let (address, served) = service(answer);
            let embeddings = Embeddings::new(&address, "m", Some("k".to_owned())).unwrap();
            let found = match embeddings.ask(&["one", "two"], &|| false) {
                Ok(vectors) => format!("{vectors:?}"),
                Err(error) => error.to_string().replace(&embeddings.place(), "PLACE"),
            };
            assert_eq!(found, wanted);
            let request = served.join().unwrap();
            assert!(request.starts_with("POST /v1/embeddings HTTP/1.1\r\n"), "{request}");
            assert!(request.contains("authorization: Bearer k\r\n"), "{request}");
            assert!(
                request
                    .ends_with("{\"model\":\"m\",\"input\":[\"one\",\"two\"],\"encoding_format\":\"float\"}"),
                "{request}"
            );
        });
    }
}
