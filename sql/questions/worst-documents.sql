-- Which documents are hardest, and which system is best in each?
--
-- reads:   answers (item, run_set, gold, one column per system), item (item, document), system (number, system, column_name), run_set (run_set, number)
-- params:  limit = 20
-- returns: document, items, mean, best, best_system
with counted as (
  select
    item.document,
    answers.run_set,
    list_value(count(answers.gold), count_if(columns(answers.* exclude (item, run_set, gold)) is not distinct from answers.gold))
  from answers
  join item using (item)
  where answers.gold is not null
  group by
    item.document,
    answers.run_set
),
each as (
  select
    counted.document,
    system.number,
    system.system,
    counted.n[1] as items,
    counted.n[2] as correct,
    counted.n[2] / counted.n[1] as share
  from (
    from counted
    unpivot include nulls (n for name in (columns(* exclude (document, run_set))))
  ) as counted
  join system on system.column_name = counted.name
  semi join run_set on run_set.run_set = counted.run_set and run_set.number = system.number
)
select
  document,
  max(items) as items,
  round(sum(correct) / sum(each.items), 4) as mean,
  round(max(share), 4) as best,
  arg_max(system, (share, -number)) as best_system
from each
group by document
order by
  mean nulls last,
  document nulls last
limit $limit
