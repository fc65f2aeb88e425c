-- What becomes of short and long items of each label for one system?
--
-- reads:   outcome (item, system, gold, outcome), item (item, form), tally (n, number, system, gold, correct)
-- params:  system, long = 3
-- returns: label, length, items, correct, mislabelled, missed
--
-- system: the one with most right by default. long: words that make an item long.
with best as (
  select system
  from tally
  where
    correct
    and gold is not null
  group by system
  order by
    sum(n) desc,
    min(number)
  limit 1
),
chosen_system as (
  select coalesce($system, (select system from best)) as system
)
select
  outcome.gold as label,
  case when len(string_split(item.form::varchar, ' ')) >= $long then 'long' else 'short' end as length,
  count(*)::bigint as items,
  count(*) filter (outcome = 'correct')::bigint as correct,
  count(*) filter (outcome = 'mislabelled')::bigint as mislabelled,
  count(*) filter (outcome = 'missed')::bigint as missed
from outcome
join item using (item)
join chosen_system using (system)
where outcome.gold is not null
group by all
order by
  label nulls last,
  length nulls last
