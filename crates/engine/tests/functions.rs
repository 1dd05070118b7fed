//! Functions of scripts for tools whose names are not identifiers.

use crate::common;
use common::World;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use toolpost_engine::{
    CallCtx, CallGateway, CallableTool, Fresh, InnerCall, NestedCallFuture,
    operations::{
        offered::{self, FindTools},
        plan::{self, Plan},
    },
};
use toolpost_script::Limits;

/// A gateway with the tools `a-b`, whose function is `a_b_2`, and `a_b`.
struct Gateway;

impl CallGateway for Gateway {
    fn call<'a>(&'a self, _call: InnerCall, _cancel: CancellationToken) -> NestedCallFuture<'a> {
        panic!("a tool was called")
    }

    fn tools(&self) -> Vec<CallableTool> {
        let tool = |name: &str| CallableTool {
            name: name.to_owned(),
            description: String::new(),
            schema: r#"{"properties": {"x": {"type": "string"}}}"#.to_owned(),
            access: Vec::new(),
        };
        vec![tool("a-b"), tool("a_b")]
    }

    fn apart(&self) -> Arc<dyn CallGateway> {
        Arc::new(Self)
    }
}

fn cx(world: &World) -> CallCtx {
    CallCtx { gateway: Some(Arc::new(Gateway)), ..world.cx(Fresh::NOT_ASKED) }
}

/// The number of a function does not belong to the tool's name, so a search does not find it.
#[tokio::test]
async fn a_search_for_tools_lists_the_names_of_functions() {
    let world = World::new(&[]);
    for (query, wanted) in [("", vec!["a_b_2", "a_b"]), ("2", vec![])] {
        let request = offered::Request { query: query.to_owned(), limit: 10 };
        let output = world.run::<FindTools>(request, cx(&world)).await.unwrap();
        assert_eq!(output.names, ["a_b_2", "a_b"], "{query}");
        let names: Vec<&str> = output.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, wanted, "{query}");
    }
}

#[tokio::test]
async fn an_error_of_a_call_names_the_function() {
    let world = World::new(&[]);
    let code = "try { a_b_2('1', '2') } catch (error) { return error.message }".to_owned();
    let limits = Limits::default();
    let request = plan::Request { code, library: None, paged: Vec::new(), limits, reply_bytes: 10_000 };
    let output = world.run::<Plan>(request, cx(&world)).await.unwrap();
    assert_eq!(output.value.as_deref(), Some("a_b_2 takes no more than these arguments (1): x"));
}
