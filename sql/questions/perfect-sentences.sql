-- How many sentences does each system have wholly right, and which alone?
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, sentence), run_set (run_set, number, system)
-- params:  none
-- returns: system, sentences, perfect, alone
--
-- Sentences without any item are not counted.
with judged as (
  select
    item.sentence,
    answers.run_set,
    bool_and(columns(answers.* exclude (item, run_set, gold)) is not distinct from answers.gold)
  from answers
  join item using (item)
  group by
    item.sentence,
    answers.run_set
),
member as (
  select
    run_set,
    list(number) as numbers
  from run_set
  group by run_set
),
listed as (
  select
    run_set,
    list_value(*columns(* exclude (sentence, run_set))) as perfect
  from judged
),
counted as (
  select
    listed.run_set,
    listed.perfect,
    list_sum(list_select(listed.perfect, member.numbers)::int[]) as by_systems
  from listed
  join member using (run_set)
)
select
  run_set.system,
  count(*)::bigint as sentences,
  count(*) filter (counted.perfect[run_set.number])::bigint as perfect,
  count(*) filter (counted.perfect[run_set.number] and counted.by_systems = 1)::bigint as alone
from counted
join run_set using (run_set)
group by run_set.system
order by
  perfect desc nulls last,
  system nulls last
