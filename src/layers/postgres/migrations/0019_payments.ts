/**
 * Payments at the processor, and what was taken back of them. A payment is written when a top-up is paid by it, or when
 * a refund or dispute of it is reported before that. Automatic top-ups: the rule of each workspace, the card that it
 * may charge, and the top-up that is under way.
 */
export const payments = `
create table payments (
  -- What the processor calls the payment. Not led by the workspace, which is unknown until the payment is reported.
  payment_reference text primary key,
  workspace_id text references workspaces,
  top_up_id text,
  amount_micros bigint,
  -- The refunds and disputes: objectId, kind, state, amountMicros.
  takings jsonb not null default '[]',
  to_take_micros bigint not null default 0 check (to_take_micros >= 0),
  taken_micros bigint not null default 0 check (taken_micros >= 0),
  bookings integer not null default 0,
  check ((workspace_id is null) = (top_up_id is null) and (top_up_id is null) = (amount_micros is null)),
  check (to_take_micros <= coalesce(amount_micros, 0) and taken_micros <= coalesce(amount_micros, 0))
);
create unique index payments_of_top_up on payments (workspace_id, top_up_id) where top_up_id is not null;
create index payments_owing on payments (workspace_id) where to_take_micros <> taken_micros;

alter table top_ups add column automatic boolean not null default false;
alter table top_ups add column saves_method boolean not null default false;

create table saved_payment_methods (
  workspace_id text primary key references workspaces,
  -- What the processor calls it.
  reference text not null,
  saved_at bigint not null
);

create table automatic_top_ups (
  workspace_id text primary key references workspaces,
  -- A rule that was taken away stays, because what it has spent in the month still counts.
  status text not null check (status in ('on', 'off', 'disabled')),
  below_micros bigint not null check (below_micros > 0),
  amount_micros bigint not null check (amount_micros > 0),
  monthly_maximum_micros bigint not null,
  disabled_reason text,
  -- The calendar month that month_micros counts, by the database's clock.
  month text not null default '',
  month_micros bigint not null default 0 check (month_micros >= 0),
  -- The top-up under way, and when a node may look after it again.
  top_up_id text,
  started_at bigint,
  retry_at bigint not null default 0,
  updated_at bigint not null,
  check ((status = 'disabled') = (disabled_reason is not null)),
  check ((top_up_id is null) = (started_at is null))
);
`
