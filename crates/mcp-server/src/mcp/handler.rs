//! The MCP request handler.
#![expect(deprecated, reason = "clients of older protocol revisions still set a log level")]

use super::{approvals::Approvals, ask, call::Calls, era::Era, listing::Listing};
use crate::{
    Options,
    wire::{ConnectionEnd, OpenRequests},
};
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, DiscoverResult,
        Implementation, InitializeRequestParams, InitializeResult, ListToolsResult, MetaObject,
        PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, SetLevelRequestParams,
        SubscriptionFilter,
    },
    service::{RequestContext, RoleServer, SubscriptionContext},
};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Semaphore;
use toolpost_engine::Session;
use toolpost_runtime::Runtime;

/// The time in milliseconds for which clients may rely on a result, unless they are notified of a change.
const FRESH: u64 = 60_000;
/// Maximum number of subscriptions that a client may hold at the same time.
const SUBSCRIPTIONS: usize = 16;

/// The key of the server's identity in a result.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";

/// The MCP request handler.
pub(crate) struct Handler {
    calls: Calls,
    info: ServerConfig,
    listing: Listing,
    /// The identity of the server, which each result carries in the modern era.
    signature: MetaObject,
    ends: ConnectionEnd,
    subscriptions: Semaphore,
}

impl Handler {
    /// Creates the handler of a runtime for one client.
    pub(crate) fn new(
        runtime: Arc<Runtime>,
        options: Options,
        open: Arc<OpenRequests>,
        ends: ConnectionEnd,
    ) -> Self {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let info = ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_server_info(Implementation::new(options.name, options.version))
            .with_instructions(runtime.instructions());
        let listing = Listing::of(runtime.clone());
        let calls = Calls {
            runtime,
            session: Session::named(options.session),
            open,
            asker: options.asker,
            approvals: Approvals::default(),
            questions: Arc::new(Semaphore::new(ask::AT_ONCE)),
        };
        let mut signature = MetaObject::new();
        signature.insert(SIGNATURE.to_owned(), json!(info.server_info));
        Self { calls, info, listing, signature, ends, subscriptions: Semaphore::new(SUBSCRIPTIONS) }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.info.clone()
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let agreed = self.negotiate_initialize(&request)?;
        // From now on, the agreed version counts, not the requested one.
        request.protocol_version = agreed.protocol_version.clone();
        context.peer.set_peer_info(request);
        self.listing.tell(context.peer, &self.ends);
        Ok(agreed)
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut discovered = DiscoverResult::from_server_info(versions, self.info.clone());
        discovered.ttl_ms = FRESH;
        discovered.cache_scope = CacheScope::Private;
        Ok(discovered)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "There is only one page of tools. Send the request without a \
                                                  cursor.",
                None,
            ));
        }
        let mut listed = ListToolsResult::with_all_items(self.listing.now().await);
        if Era::of(&context) == Era::Modern {
            listed.ttl_ms = Some(FRESH);
            listed.cache_scope = Some(CacheScope::Private);
            listed.meta = Some(self.signature.clone());
        }
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let era = Era::of(&context);
        // Boxed here, because the surrounding future is moved many times before it runs.
        let mut response = Box::pin(self.calls.make(request, context)).await?;
        if let (Era::Modern, CallToolResponse::Complete(result)) = (era, &mut response) {
            result.meta = Some(self.signature.clone());
        }
        Ok(response)
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Old clients set a level before anything else; nothing is logged to them at any level.
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Ok(_place) = self.subscriptions.try_acquire() else {
            return Err(ErrorData::invalid_request(
                format!("There are already {SUBSCRIPTIONS} subscriptions. End one of them first."),
                None,
            ));
        };
        self.listing.tell_subscription(&context, &self.ends).await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // The reader forwards only served methods, so the parameters of a method that arrives here could not be parsed.
        Err(ErrorData::invalid_params(format!("The parameters of `{method}` cannot be read."), None))
    }
}
