//! The method of `Team` that a call stands for.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Expr, Token};

use super::words::Kind;
use super::{Action, Call, Data};
use crate::diagnostics::Region;
use crate::expressions::plain;
use crate::private::Private;

/// The expression for a whole call.
pub(super) fn call(call: &Call, private: &Private) -> TokenStream {
    let Call { action: Action { word, at, data, root }, team, region } = call;
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
    let operation = |name| private.name(name, at.start);
    let root = root.as_ref().map(|root| {
        let root = plain(root);
        quote!(, #root)
    });
    let (method, operation, data) = match data {
        Data::None => {
            let method = if word.kind == Kind::Barrier { "Team::barrier" } else { "Team::sync" };
            (method, None, None)
        }
        Data::Value(value) => {
            let (method, operation) = match word.kind {
                Kind::Reduce(name) => ("Team::reduce_value", Some(operation(name))),
                Kind::Scan => ("Team::scan_value", Some(operation("Sum"))),
                Kind::Exscan => ("Team::exscan_value", None),
                Kind::Broadcast => ("Team::broadcast_value", None),
                Kind::Collect => ("Team::collect_values", None),
                Kind::Fcollect => ("Team::fcollect_value", None),
                Kind::Alltoall | Kind::Barrier | Kind::Sync => unreachable!("they take no value"),
            };
            (method, operation, Some(plain(value).to_token_stream()))
        }
        Data::Places(places) => {
            let (destination, source) = &**places;
            let (method, operation) = match word.kind {
                Kind::Reduce(name) => ("Team::reduce", Some(operation(name))),
                Kind::Scan => ("Team::scan", Some(operation("Sum"))),
                Kind::Exscan => ("Team::exscan", None),
                Kind::Broadcast => ("Team::broadcast", None),
                Kind::Collect => ("Team::collect", None),
                Kind::Fcollect => ("Team::fcollect", None),
                Kind::Alltoall => ("Team::alltoall", None),
                Kind::Barrier | Kind::Sync => unreachable!("they take no places"),
            };
            let (destination, source) = (destination.reference(private), source.reference(private));
            (method, operation, Some(quote!(#destination, #source)))
        }
    };
    let arguments = [Some(team), operation, data].into_iter().flatten();
    private.call(method, *region, quote!(#(#arguments),* #root))
}
