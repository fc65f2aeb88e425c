-- Which systems answer as expected within a case, and in how many cases does some answer fail?
--
-- reads:   item (item, $case), answer (item, system, gold, answer)
-- params:  case, expect = 'gold'
-- returns: system, cases, failed, rate, rows, rows_failed
--
-- case: the column whose values name cases, such as a template. By default each item is one.
-- expect: gold, same (as most rows of the case have it, of equals the first) or label=X.
-- An answer that is not there fails. Cases of one name are one, whatever their datasets. `coleval
-- behaviour` knows originals, numbers and datasets, too.
with place as (
  select
    item,
    trim(columns(lambda name: name = coalesce($case, 'item'))::varchar) as case_name
  from (select * from item)
),
counted as (
  select
    answer.*,
    place.case_name,
    count(*) over (partition by system, case_name) as size,
    count(answer) over (partition by system, case_name, answer) as n,
    min(item) over (partition by system, case_name, answer) as first_item
  from place
  join answer using (item)
  where case_name <> ''
),
tested as (
  select
    *,
    case
      when $expect = 'gold' then gold
      when $expect = 'same' then first_value(answer) over (
        partition by system, case_name
        order by
          n desc,
          first_item
      )
      else regexp_replace($expect, '^label=', '')
    end as expected
  from counted
  where size > 1 or $expect <> 'same'
),
each_case as (
  select
    system,
    case_name,
    count(*) as n,
    count(*) filter (answer is null or answer is distinct from expected) as n_failed
  from tested
  group by all
)
select
  system,
  count(*)::bigint as cases,
  count(*) filter (n_failed > 0)::bigint as failed,
  round(failed / cases, 6) as rate,
  sum(n)::bigint as rows,
  sum(n_failed)::bigint as rows_failed
from each_case
group by all
order by
  rate nulls last,
  system nulls last
