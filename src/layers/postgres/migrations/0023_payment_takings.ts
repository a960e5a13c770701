/**
 * For which payment each refund and dispute was reported first. The processor never moves one to another payment, so a
 * report that does is refused, also when both come at once on two nodes. And the entries of a top-up on the ledger: its
 * payment, and what refunds and disputes took of it. No entry of a run is in this index.
 */
export const paymentTakings = `
create table payment_takings (
  object_id text primary key,
  payment_reference text not null references payments
);
insert into payment_takings (object_id, payment_reference)
  select t->>'objectId', payment_reference from payments, jsonb_array_elements(takings) t on conflict do nothing;

create index ledger_by_top_up on ledger_entries (workspace_id, top_up_id) where top_up_id is not null;
`
