-- What does every system answer within a case, and which answer is the most frequent one there?
--
-- reads:   item (item, $case), answer (item, system, gold, answer)
-- params:  case, limit = 1000
-- returns: case_name, system, item, gold, answer, most_frequent, size
--
-- case: the column whose values name cases. By default each item is one. Of equally common answers
-- the first counts. What `behaviour` counts, row by row: to go on by hand from here.
with place as (
  select
    item,
    trim(columns(lambda name: name = coalesce($case, 'item'))::varchar) as case_name
  from (select * from item)
),
tested as (
  select
    answer.*,
    place.case_name,
    count(*) over (partition by system, case_name) as size,
    count(answer) over (partition by system, case_name, answer) as n,
    min(item) over (partition by system, case_name, answer) as first_item
  from place
  join answer using (item)
  where case_name <> ''
)
select
  case_name,
  system,
  item,
  gold,
  answer,
  first_value(answer) over (
    partition by system, case_name
    order by
      n desc,
      first_item
  ) as most_frequent,
  size
from tested
order by
  case_name nulls last,
  system nulls last,
  item nulls last
limit $limit
