//! Parser of a stream of server-sent events.

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    /// The value of the field `event`; `message` without that field.
    pub(super) sort: String,
    /// The lines of the field `data`, joined by line feeds.
    pub(super) data: String,
}

/// Parses a stream of server-sent events; an incomplete event at its end is dropped.
pub(super) fn events(stream: &str) -> Vec<Event> {
    let mut out = Vec::new();
    let (mut sort, mut data): (Option<&str>, Vec<&str>) = (None, Vec::new());
    for line in stream.split_inclusive('\n') {
        let Some(line) = line.strip_suffix('\n') else { break };
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() {
            if !data.is_empty() {
                let sort = sort.unwrap_or("message").to_owned();
                out.push(Event { sort, data: data.join("\n") });
            }
            (sort, data) = (None, Vec::new());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => sort = Some(value),
            "data" => data.push(value),
            // Comments, ids and retry times are ignored.
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::events;

    #[test]
    fn server_sent_events_are_parsed() {
        let stream = ": hello\nevent: matches\ndata: [1,\r\ndata: 2]\n\nid: 1\ndata:{}\n\nevent: empty\n\nevent: done\ndata: {}\n";
        let found: Vec<_> = events(stream).into_iter().map(|event| (event.sort, event.data)).collect();
        let wanted = [("matches", "[1,\n2]"), ("message", "{}")];
        assert_eq!(found, wanted.map(|(sort, data)| (sort.to_owned(), data.to_owned())));
        assert!(events("<html>no stream</html>\n\n").is_empty());
    }
}
