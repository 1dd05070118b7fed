//! Images in tool replies: the model gets the images, or a note if its service rejects images.

use serde_json::json;
use std::{
    future::ready,
    sync::{Arc, Mutex},
};
use tokio_util::sync::CancellationToken;
use toolpost_agent::{
    AgentEvent, Budget, BudgetLimit, ImageDisplay, Limits, Reason, Run, RunTool, TaskEffect, ToolReply,
    Toolset, Transcript,
    models::{
        AnswerPart, CallRequest, Completion, Message, Model, ModelError, ModelErrorKind, ModelFuture,
        ModelMessage, Patience, Pieces, Question, Service, Stop, ToolResult,
    },
};
use toolpost_engine::{Access, CallOutcome, CallableTool, InnerAnswer, InnerPicture};
use toolpost_test_rows::each_async;

/// A model that calls the tool once, and accepts or rejects images.
struct ImageModel {
    refuses: Option<(ModelErrorKind, &'static str)>,
    asked: Mutex<Vec<Question>>,
}

struct Answer(Option<Result<AnswerPart, ModelError>>);

impl Model for ImageModel {
    fn begin(&self, question: &Question) -> Result<Box<dyn Pieces>, ModelError> {
        self.asked.lock().unwrap().push(question.clone());
        let pictures = results(question).iter().any(|result| !result.pictures.is_empty());
        let reply = |text: &str, calls: Vec<CallRequest>| {
            let reply = ModelMessage { text: text.to_owned(), calls, thoughts: Vec::new() };
            Ok(AnswerPart::End(Box::new(Completion { message: reply, stop: Stop::End, usage: None })))
        };
        let look = || CallRequest {
            id: "a".to_owned(),
            tool: "look".to_owned(),
            arguments: "{}".to_owned(),
            marks: Vec::new(),
        };
        let piece = match (question.messages.len(), self.refuses) {
            (1, _) => reply("", vec![look()]),
            (_, Some((kind, words))) if pictures => Err(ModelError::new(kind, words)),
            _ => reply("seen", Vec::new()),
        };
        Ok(Box::new(Answer(Some(piece))))
    }
}

impl Pieces for Answer {
    fn next(&mut self) -> ModelFuture<'_, Result<AnswerPart, ModelError>> {
        let piece = self.0.take().unwrap_or_else(|| Err(ModelError::new(ModelErrorKind::Broken, "over")));
        Box::pin(ready(piece))
    }
}

/// A toolset whose tool returns an image.
struct ImageToolset;

impl Toolset for ImageToolset {
    fn tools(&self) -> Vec<RunTool> {
        let tool = CallableTool {
            name: "look".to_owned(),
            description: String::new(),
            schema: json!({ "type": "object" }).to_string(),
            access: vec![Access::Reads],
        };
        vec![RunTool { tool, ends: TaskEffect::Nothing }]
    }

    fn meant(&self, _name: &str) -> Option<String> {
        None
    }

    fn call(
        &self,
        _tool: String,
        _arguments: String,
        _cancel: CancellationToken,
    ) -> ModelFuture<'_, ToolReply> {
        let pictures = vec![InnerPicture { mime: "image/png".to_owned(), data: vec![1, 2, 3] }];
        let words = "[image 1: image/png, 3 bytes]".to_owned();
        Box::pin(ready(InnerAnswer { ended: CallOutcome::Done, words, pictures }.into()))
    }
}

fn results(question: &Question) -> Vec<ToolResult> {
    let results = question.messages.iter().filter_map(|message| match message {
        Message::Results { results } | Message::Replies { results } => Some(results.clone()),
        Message::User { .. } | Message::Model(_) => None,
    });
    results.flatten().collect()
}

#[tokio::test]
async fn services_that_reject_images_get_image_names() {
    let refused = "[image 1: image/png, 3 bytes]\n[the images of this reply are not shown to you, only \
                   their names]";
    let no_image = (ModelErrorKind::Refused, "No endpoints found that support image input");
    let wrong = (ModelErrorKind::Question, "messages: wrong");
    let key = (ModelErrorKind::Refused, "the key is not known");
    let model = |fault: &str| Reason::Model { fault: fault.to_owned() };
    let spent = Reason::Budget { spent: BudgetLimit::Turns };
    // Error of the service, setting, reason of the end, `Some` if the last request had the image, number of requests,
    // limit of requests.
    let rows = [
        (None, ImageDisplay::Shown, Reason::Completed, Some(1), 2, 2),
        (None, ImageDisplay::Named, Reason::Completed, None, 2, 2),
        (Some(no_image), ImageDisplay::Shown, Reason::Completed, None, 3, 3),
        (Some(no_image), ImageDisplay::Shown, spent, Some(1), 2, 2),
        (Some(wrong), ImageDisplay::Shown, Reason::Completed, None, 3, 3),
        (Some(key), ImageDisplay::Shown, model(key.1), Some(1), 2, 3),
    ];
    each_async(rows, async |(refuses, showing, wanted, shown, times, limit)| {
        let model = Arc::new(ImageModel { refuses, asked: Mutex::default() });
        let events = Arc::new(Mutex::new(Vec::new()));
        let heard = events.clone();
        let run = Run {
            service: Service::new(model.clone(), Patience { tries: 1, ..Patience::default() }, 1),
            hands: Arc::new(ImageToolset),
            system: String::new(),
            budget: Budget::new(Limits { turns: Some(limit), ..Limits::default() }),
            window: 100_000,
            cancel: CancellationToken::new(),
            watch: Arc::new(move |happening: &AgentEvent| {
                if let AgentEvent::Unseen { fault } = happening {
                    heard.lock().unwrap().push(fault.clone());
                }
            }),
            transcript: Transcript::none(),
            showing,
        };
        let outcome = run.go(vec![Message::User { text: "look".to_owned() }]).await;
        assert_eq!(outcome.reason, wanted, "{refuses:?} {showing:?}");
        let asked = model.asked.lock().unwrap();
        assert_eq!((asked.len(), outcome.used.turns.used), (times, times as u64), "{refuses:?} {showing:?}");
        let last = results(asked.last().unwrap());
        let data: Vec<&str> = last[0].pictures.iter().map(|picture| &*picture.data).collect();
        match shown {
            Some(_) => {
                assert_eq!((data, last[0].words.as_str()), (vec!["AQID"], "[image 1: image/png, 3 bytes]"));
            }
            None => assert_eq!((data, last[0].words.as_str()), (Vec::new(), refused)),
        }
        let wanted: Vec<&str> = refuses.iter().filter(|own| **own != key).map(|(_, words)| *words).collect();
        assert_eq!(*events.lock().unwrap(), wanted, "{refuses:?} {showing:?}");
    })
    .await;
}
