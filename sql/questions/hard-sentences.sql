-- Which sentences hold most of the hard items?
--
-- reads:   item (sentence, difficulty), sentence (sentence, text)
-- params:  most = 0, limit = 10
-- returns: sentence, hard, items, text
--
-- most: an item is hard if at most so many systems solve it.
with counted as (
  select
    sentence,
    count(*) filter (difficulty <= $most)::bigint as hard,
    count(difficulty)::bigint as items
  from item
  group by sentence
)
select
  counted.sentence,
  counted.hard,
  counted.items,
  left(sentence.text, 80) as text
from counted
left join sentence using (sentence)
where counted.hard > 0
order by
  hard desc nulls last,
  sentence nulls last
limit $limit
