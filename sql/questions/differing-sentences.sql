-- In which sentences do two systems differ most?
--
-- reads:   outcome (item, system, answer, outcome), item (item, sentence), tally (n, number, system, gold, correct)
-- params:  before, after, limit = 10
-- returns: sentence, items, different, before_right, after_right
--
-- before and after: the second best system and the best by default.
with ranked as (
  select
    system,
    row_number() over (
      order by
        sum(n) filter (correct and gold is not null) desc nulls last,
        min(number)
    ) as place
  from tally
  group by system
),
two as (
  select
    coalesce($before, (select system from ranked where place = 2)) as before,
    coalesce($after, (select system from ranked where place = 1)) as after
)
select
  item.sentence,
  count(*)::bigint as items,
  count(*) filter (a.answer is distinct from b.answer)::bigint as different,
  count(*) filter (a.outcome = 'correct')::bigint as before_right,
  count(*) filter (b.outcome = 'correct')::bigint as after_right
from two
join outcome as a on a.system = two.before
join outcome as b on b.system = two.after and b.item = a.item
join item on item.item = a.item
group by item.sentence
order by
  different desc nulls last,
  sentence nulls last
limit $limit
