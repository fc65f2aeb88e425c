-- How many sentences does each system have wholly right, and which alone?
--
-- reads:   answers (item, gold, one column per system), item (item, sentence), system (number, system)
-- params:  none
-- returns: system, sentences, perfect, alone
--
-- Sentences without any item are not counted.
with judged as (
  select
    item.sentence,
    bool_and(columns(answers.* exclude (item, gold)) is not distinct from answers.gold)
  from answers
  join item using (item)
  group by item.sentence
),
listed as (
  select list_value(*columns(* exclude (sentence))) as perfect
  from judged
),
counted as (
  select
    perfect,
    list_sum(perfect::int[]) as by_systems
  from listed
)
select
  system.system,
  count(*)::bigint as sentences,
  count(*) filter (counted.perfect[system.number])::bigint as perfect,
  count(*) filter (counted.perfect[system.number] and counted.by_systems = 1)::bigint as alone
from counted
cross join system
group by system.system
order by
  perfect desc nulls last,
  system nulls last
