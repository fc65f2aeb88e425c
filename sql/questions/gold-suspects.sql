-- Where do most systems agree on another answer than gold's?
--
-- reads:   item (item, form), answers (item, gold, one column per system), answer_list (item, gold, answers), system (number)
-- params:  least = 2, limit = 20
-- returns: item, form, gold, answer, votes, systems
--
-- No answer is an answer here: where most systems find nothing, gold may have too much.
with judged as (
  select
    item,
    (columns(* exclude (item, gold)) is distinct from gold)::int
  from answers
),
-- Elsewhere no other answer has most of the votes.
doubtful as (
  select item
  from judged
  where 2 * list_sum(list_value(*columns(* exclude (item)))) > (select max(number) from system)
),
voter as (
  select
    answer_list.item,
    answer_list.gold,
    len(answer_list.answers) as systems,
    unnest(answer_list.answers) as answer
  from answer_list
  semi join doubtful using (item)
),
vote as (
  select
    *,
    count(*)::bigint as votes
  from voter
  group by all
)
select
  item,
  item.form,
  vote.gold,
  vote.answer,
  vote.votes,
  vote.systems
from vote
join item using (item)
where
  vote.answer is distinct from vote.gold
  and votes >= $least
  and 2 * votes > systems
order by
  votes / systems desc nulls last,
  item nulls last
limit $limit
