/**
 * Answers that were compared with their documented schema, by day and contract version, with the first break of the
 * day.
 */
export const comparedAnswers = `
create table compared_answers (
  day int not null,
  contract_version text not null,
  compared bigint not null,
  broken bigint not null,
  place text,
  message text,
  primary key (day, contract_version),
  check (num_nulls(place, message) in (0, 2))
);
`
