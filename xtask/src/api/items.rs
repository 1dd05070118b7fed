//! Lines of `api.txt`, the list of public items: one for each item, field, variant, function and
//! implementation.

use super::{
    source::{is_hidden, is_public, is_test},
    tokens::line,
};
use std::collections::BTreeSet;
use syn::{Attribute, Fields, FnArg, ImplItem, Item, ItemImpl, Meta, Pat, Signature, TraitItem, Type};

/// The lines of the list of public items, sorted by path.
#[derive(Debug, Default)]
pub(super) struct Lines(BTreeSet<(String, String)>);

/// Formats the `#[cfg]` attributes of an item, to write them before it.
pub(super) fn condition(attributes: &[Attribute]) -> String {
    attributes.iter().filter(|one| one.path().is_ident("cfg")).map(|one| line(one) + " ").collect()
}

/// Returns the name of the type that an implementation is for.
pub(super) fn self_name(block: &ItemImpl) -> Option<&syn::Ident> {
    match &*block.self_ty {
        Type::Path(path) => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

impl Lines {
    pub(super) fn add(&mut self, line: String) {
        let path = line.split_whitespace().find(|word| word.contains("::")).unwrap_or_default();
        let path = path.split(['(', '<', ':', ','].as_slice()).collect::<Vec<_>>().join(":");
        self.0.insert((path, line));
    }

    pub(super) fn text(&self) -> String {
        self.0.iter().map(|(_, line)| format!("{line}\n")).collect()
    }

    /// Adds the lines of an item, its fields, its variants and its derived traits.
    pub(super) fn item(&mut self, item: &Item, path: &str, condition: &str) {
        match item {
            Item::Const(item) => self.add(format!("{condition}pub const {path}: {}", line(&item.ty))),
            Item::Static(item) => self.add(format!("{condition}pub static {path}: {}", line(&item.ty))),
            Item::Type(item) => {
                let (generics, form) = (line(&item.generics), line(&item.ty));
                self.add(format!("{condition}pub type {path}{generics} = {form}"));
            }
            Item::Fn(item) => {
                self.add(format!("{condition}pub {}", signature(&item.sig, path)));
            }
            Item::Struct(item) => {
                let private = item.fields.iter().any(|field| !is_public(&field.vis));
                let rest = if private { " (with private fields)" } else { "" };
                let generics = line(&item.generics);
                let marks = marks(&item.attrs);
                self.add(format!("{condition}pub struct {path}{generics}{marks}{rest}"));
                self.fields(&item.fields, path, condition, Visible::IfPublic);
                self.derived(&item.attrs, path, condition);
            }
            Item::Enum(item) => {
                let generics = line(&item.generics);
                self.add(format!("{condition}pub enum {path}{generics}{}", marks(&item.attrs)));
                for variant in &item.variants {
                    let form = match &variant.fields {
                        Fields::Unnamed(fields) => line(fields),
                        _ => String::new(),
                    };
                    let own = format!("{path}::{}", variant.ident);
                    self.add(format!("{condition}variant {own}{form}{}", marks(&variant.attrs)));
                    if let Fields::Named(_) = &variant.fields {
                        self.fields(&variant.fields, &own, condition, Visible::Always);
                    }
                }
                self.derived(&item.attrs, path, condition);
            }
            Item::Trait(item) => {
                let (generics, bounds) = (line(&item.generics), line(&item.supertraits));
                let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
                let where_clauses = item
                    .generics
                    .where_clause
                    .as_ref()
                    .map(|where_clauses| format!(" {}", line(where_clauses)));
                self.add(format!(
                    "{condition}pub trait {path}{generics}{bounds}{}",
                    where_clauses.unwrap_or_default()
                ));
                item.items.iter().for_each(|member| self.member(member, path, condition));
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: &Fields, path: &str, condition: &str, visible: Visible) {
        for (index, field) in fields.iter().enumerate() {
            if visible == Visible::Always || is_public(&field.vis) {
                let name = field.ident.as_ref().map_or(index.to_string(), ToString::to_string);
                self.add(format!("{condition}field {path}::{name}: {}", line(&field.ty)));
            }
        }
    }

    fn derived(&mut self, attributes: &[Attribute], path: &str, condition: &str) {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let Meta::List(list) = &attribute.meta else { continue };
            let text = line(&list.tokens);
            for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let name = name.rsplit("::").next().unwrap_or(name);
                self.add(format!("{condition}impl {name} for {path}"));
            }
        }
    }

    fn member(&mut self, member: &TraitItem, path: &str, condition: &str) {
        match member {
            TraitItem::Fn(member) => {
                let own = format!("{path}::{}", member.sig.ident);
                let rest = if member.default.is_some() { " (provided)" } else { "" };
                self.add(format!("{condition}{}{rest}", signature(&member.sig, &own)));
            }
            TraitItem::Const(member) => {
                let rest = if member.default.is_some() { " (provided)" } else { "" };
                self.add(format!("{condition}const {path}::{}: {}{rest}", member.ident, line(&member.ty)));
            }
            TraitItem::Type(member) => {
                self.add(format!("{condition}type {path}::{}: {}", member.ident, line(&member.bounds)));
            }
            _ => {}
        }
    }

    /// Adds the public functions of an implementation, or the trait that it implements.
    pub(super) fn implementation(&mut self, block: &ItemImpl, path: &str, outer: &str) {
        let outer = format!("{outer}{}", condition(&block.attrs));
        if let Some((_, of, _)) = &block.trait_ {
            let generics = line(&block.generics);
            let name = of.segments.last().map(line).unwrap_or_default();
            let types = block.items.iter().filter_map(|member| match member {
                ImplItem::Type(member) => Some(format!("type {} = {}", member.ident, line(&member.ty))),
                _ => None,
            });
            let types: Vec<String> = types.collect();
            let types = if types.is_empty() { String::new() } else { format!(" where {}", types.join(", ")) };
            self.add(format!("{outer}impl{generics} {name} for {path}{types}"));
            return;
        }
        for member in &block.items {
            let (visibility, attributes) = match member {
                ImplItem::Fn(member) => (&member.vis, &member.attrs),
                ImplItem::Const(member) => (&member.vis, &member.attrs),
                _ => continue,
            };
            if !is_public(visibility) || is_test(attributes) || is_hidden(attributes) {
                continue;
            }
            let condition = format!("{outer}{}", condition(attributes));
            match member {
                ImplItem::Fn(member) => {
                    let own = format!("{path}::{}", member.sig.ident);
                    self.add(format!(
                        "{condition}pub {}{}",
                        signature(&member.sig, &own),
                        marks(&member.attrs)
                    ));
                }
                ImplItem::Const(member) => {
                    self.add(format!("{condition}pub const {path}::{}: {}", member.ident, line(&member.ty)));
                }
                _ => {}
            }
        }
    }
}

/// Selection of the fields to list: all, or only the public ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visible {
    Always,
    IfPublic,
}

/// Formats the attributes that change how an item can be used.
fn marks(attributes: &[Attribute]) -> String {
    let names = ["non_exhaustive", "deprecated"];
    let has = |name: &&&str| attributes.iter().any(|attribute| attribute.path().is_ident(**name));
    names.iter().filter(has).map(|name| format!(" #[{name}]")).collect()
}

/// Formats a function without `mut` and `ref` before its parameters, which callers cannot see.
fn signature(signature: &Signature, path: &str) -> String {
    let mut shown = signature.clone();
    for argument in &mut shown.inputs {
        match argument {
            FnArg::Receiver(receiver) if receiver.reference.is_none() => receiver.mutability = None,
            FnArg::Typed(argument) => {
                argument.attrs.clear();
                if let Pat::Ident(name) = &mut *argument.pat {
                    (name.mutability, name.by_ref) = (None, None);
                }
            }
            FnArg::Receiver(_) => {}
        }
    }
    let text = line(&shown);
    let before = format!("fn {}", signature.ident);
    text.replacen(&before, &format!("fn {path}"), 1)
}
