/** The card that an automatic top-up under way charges, and rules in the order in which somebody looks after them. */
export const automaticTopUpCards = `
alter table automatic_top_ups add column charged_method text;
alter table automatic_top_ups add check ((top_up_id is null) = (charged_method is null));
`
