//! The method of `Team` that a call stands for.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Expr, Token};

use super::table::Root;
use super::{Action, Call, Data};
use crate::diagnostics::Region;
use crate::expressions::plain;
use crate::place;
use crate::private::Private;

/// The expression for a whole call.
pub(super) fn call(call: &Call, private: &Private) -> TokenStream {
    let Call { stream, action: Action { collective, operation, at, data, root, ready }, team, region } = call;
    if let Some(stream) = stream {
        return on_stream(call, stream, private);
    }
    let team = match team {
        None => private.call("world_team", *region, TokenStream::new()),
        Some(team) => {
            let team = plain(team);
            // `&` binds tighter than what has an operator.
            let team = match team {
                Expr::Path(_)
                | Expr::Field(_)
                | Expr::MethodCall(_)
                | Expr::Call(_)
                | Expr::Index(_)
                | Expr::Macro(_)
                | Expr::Lit(_)
                | Expr::Reference(_)
                | Expr::Try(_)
                | Expr::Unary(_) => team.to_token_stream(),
                _ => {
                    let mut group = Group::new(Delimiter::Parenthesis, team.to_token_stream());
                    group.set_span(Region::of(team).start);
                    group.to_token_stream()
                }
            };
            let here = Region::of(&team);
            // With a span of the user, so that an error about the team underlines the team.
            let and = Token![&](here.start);
            private.call("OnTeam::team", here, quote!(#and #team))
        }
    };
    let operation = operation.map(|name| private.name(name, at.start));
    let to = match collective.root {
        // Of a reduction, whose result all PEs get without one.
        Root::MayTo if root.is_some() => "_to",
        _ if ready.is_some() => "_to_ready",
        _ => "",
    };
    let of_places = || Some(format!("{}{to}", collective.method()));
    let (method, data) = match data {
        Data::None => (of_places(), None),
        Data::Value(value) => (
            collective.method_of_values().map(|method| format!("{method}{to}")),
            Some(plain(value).to_token_stream()),
        ),
        Data::Places(places) => {
            let (destination, source) = &**places;
            let (destination, source) = (destination.reference(private), source.reference(private));
            (of_places(), Some(quote!(#destination, #source)))
        }
    };
    let method = method.expect("a collective that takes no value was read without one");
    let root = root.as_ref().map(|root| plain(root).to_token_stream());
    let arguments = [Some(team), operation, data, root].into_iter().flatten();
    private.call(&format!("Team::{method}"), *region, quote!(#(#arguments),*))
}

/// As [`call`], on a stream.
fn on_stream(call: &Call, stream: &Expr, private: &Private) -> TokenStream {
    let Call { action: Action { collective, operation, at, data, root, .. }, team, region, .. } = call;
    let team = match team {
        None => private.name("Option::None", region.start),
        Some(team) => {
            let here = Region::of(team);
            let team = private.call("stream::OnGpuTeam::gpu_team", here, place::context(team));
            private.call("Option::Some", here, team)
        }
    };
    let operation = operation.map(|name| private.name(name, at.start));
    let places = match data {
        Data::Places(places) => {
            let (destination, source) = &**places;
            let [destination, source] =
                [destination, source].map(|place| place.reference_on(stream, private));
            Some(quote!(#destination, #source))
        }
        Data::None | Data::Value(_) => None,
    };
    let root = root.as_ref().map(|root| plain(root).to_token_stream());
    let arguments = [Some(place::context(stream)), Some(team), operation, places, root].into_iter().flatten();
    private.call(&format!("stream::{}", collective.method()), *region, quote!(#(#arguments),*))
}
