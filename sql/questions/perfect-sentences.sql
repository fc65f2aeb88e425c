-- How many sentences does each system have wholly right, and which alone?
--
-- reads:   outcome (item, system, gold, answer), item (item, sentence)
-- params:  none
-- returns: system, sentences, perfect, alone
--
-- Sentences without any item are not counted.
with judged as (
  select
    item.sentence,
    outcome.system,
    bool_and(outcome.gold is not distinct from outcome.answer) as perfect
  from outcome
  join item using (item)
  group by all
),
counted as (
  select
    *,
    count(*) filter (perfect) over (partition by sentence) as by_systems
  from judged
)
select
  system,
  count(*)::bigint as sentences,
  count(*) filter (perfect)::bigint as perfect,
  count(*) filter (perfect and by_systems = 1)::bigint as alone
from counted
group by system
order by
  perfect desc nulls last,
  system nulls last
