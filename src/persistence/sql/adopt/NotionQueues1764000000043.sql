-- The queue `notion-event` becomes one queue for each kind of its jobs. The kind was the prefix of
-- the key, which stays as it is.
update job set queue = 'notion-' || split_part(key, ':', 1)
where queue = 'notion-event' and split_part(key, ':', 1) in ('read', 'walk', 'review', 'removal');
