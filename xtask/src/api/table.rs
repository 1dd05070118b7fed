//! Expansion of macros that declare a table of rows `name: Type = …, { … }`, such as the table of settings.

use anyhow::{Context, Result, bail};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashMap;
use syn::{Expr, Ident, Item, Token, Type, parse::ParseStream, parse::Parser};

/// The parts of a table's row on which the generated public items depend.
struct Row {
    name: Ident,
    form: Type,
}

/// Replaces each call of a macro that the same module defines with the items that it generates; drops other
/// macro items.
pub(super) fn expanded(items: Vec<Item>) -> Result<Vec<Item>> {
    let mut bodies = HashMap::new();
    for item in &items {
        if let Item::Macro(item) = item
            && let Some(name) = &item.ident
        {
            bodies.insert(name.to_string(), item.mac.tokens.clone());
        }
    }
    let mut done = Vec::new();
    for item in items {
        let called = match &item {
            Item::Macro(item) => item.mac.path.get_ident().and_then(|name| bodies.get(&name.to_string())),
            _ => None,
        };
        match (&item, called) {
            (Item::Macro(call), Some(body)) => done.extend(expand(body, &call.mac.tokens)?),
            (Item::Macro(_), _) => {}
            _ => done.push(item),
        }
    }
    Ok(done)
}

fn expand(rules: &TokenStream, call: &TokenStream) -> Result<Vec<Item>> {
    let rows = Parser::parse2(rows, call.clone())
        .context("the rows in the call of a table's macro cannot be parsed")?;
    // The rules are `(pattern) => { body }`: the second group is the body.
    let Some(TokenTree::Group(body)) =
        rules.clone().into_iter().filter(|token| matches!(token, TokenTree::Group(_))).nth(1)
    else {
        bail!("a macro that generates a table has no body");
    };
    let text = repeated(body.stream(), &rows, None);
    Ok(syn::parse2::<syn::File>(text).context("the body of a table's macro cannot be parsed")?.items)
}

fn rows(input: ParseStream<'_>) -> syn::Result<Vec<Row>> {
    let mut rows = Vec::new();
    while !input.is_empty() {
        let name: Ident = input.parse()?;
        input.parse::<Token![:]>()?;
        let form: Type = input.parse()?;
        input.parse::<Token![=]>()?;
        input.parse::<Expr>()?;
        input.parse::<Token![,]>()?;
        let rest;
        syn::braced!(rest in input);
        rest.parse::<TokenStream>()?;
        rows.push(Row { name, form });
    }
    Ok(rows)
}

/// Expands `$( … )*` once for each row. `$field` and `$type` come from the row; its other parts are only
/// values, and become `()`.
fn repeated(tokens: TokenStream, rows: &[Row], row: Option<&Row>) -> TokenStream {
    let mut made = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '$' => match tokens.next() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    let mut between = None;
                    for token in tokens.by_ref() {
                        match token {
                            TokenTree::Punct(mark) if matches!(mark.as_char(), '*' | '+') => break,
                            other => between = Some(other),
                        }
                    }
                    for (number, row) in rows.iter().enumerate() {
                        made.extend(between.clone().filter(|_| number > 0));
                        made.extend(repeated(group.stream(), rows, Some(row)));
                    }
                }
                Some(TokenTree::Ident(name)) => made.extend(value(&name, row)),
                other => made.extend(other),
            },
            TokenTree::Group(group) => {
                let inner = repeated(group.stream(), rows, row);
                made.extend([TokenTree::Group(Group::new(group.delimiter(), inner))]);
            }
            other => made.extend([other]),
        }
    }
    made
}

fn value(name: &Ident, row: Option<&Row>) -> TokenStream {
    match (name.to_string().as_str(), row) {
        ("field", Some(row)) => row.name.to_token_stream(),
        ("type", Some(row)) => row.form.to_token_stream(),
        _ => TokenTree::Group(Group::new(Delimiter::Parenthesis, TokenStream::new())).into(),
    }
}
