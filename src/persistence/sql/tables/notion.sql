-- The boards in Notion.

-- When Notion was called and may be called: one row for all replicas.
--   grants: the last granted starts of calls, newest first; some are in the future
--   timescales, blurs_ms: the clock and the error of each start, in the same order; a missing error
--     is 0
--   rate: the share of the allowed rate at the time `recovers_from`, from which it grows again
create table notion_limiter (
  id bool default true primary key check (id),
  grants timestamptz[] not null default '{}',
  paused_until timestamptz,
  rate float8 not null default 1 check (rate > 0 and rate <= 1),
  recovers_from timestamptz,
  limited_at timestamptz,
  timescales text[] not null default '{}',
  blurs_ms float8[] not null default '{}'
) with (fillfactor = 50);
insert into notion_limiter default values;

-- The people to whom each page was assigned when it was last read.
create table notion_page (
  page_id uuid primary key,
  assignee_ids uuid[] not null,
  seen_at timestamptz not null
);
create index notion_page_assignees on notion_page using gin (assignee_ids);

-- Events from Notion's webhooks, each stored once. `page_id` is null for events of a data source.
create table notion_event (
  event_key text primary key,
  page_id uuid,
  happened_at timestamptz,
  received_at timestamptz not null
);
create index notion_event_age on notion_event (received_at);
create index notion_event_page on notion_event (page_id, happened_at) where page_id is not null;

-- The token that signs webhooks. One row.
--   open_until: until then one token is accepted, at the address with the nonce of `nonce_hash`
create table notion_enrolment (
  id bool default true primary key check (id),
  open_until timestamptz,
  token text,
  enrolled_at timestamptz,
  nonce_hash text,
  constraint notion_enrolment_check check ((token is null) = (enrolled_at is null))
);
insert into notion_enrolment default values;

-- Pages that wait to be read.
--   author: who changed the page; empty when it is not known
--   turn: the round in which the page is read; each author has one page in a round
--   asks: how many times a read was requested since the page was last read
--   last_asked_at: when an event named the page last; null means `asked_at`
create table notion_read (
  page_id uuid primary key,
  author text not null,
  turn bigint not null,
  asked_at timestamptz not null,
  asks int not null default 1,
  due_at timestamptz,
  tries int not null default 0,
  failures int not null default 0,
  last_asked_at timestamptz
) with (fillfactor = 80);
create index notion_read_author on notion_read (author, turn);
create index notion_read_turn on notion_read (turn, asked_at);

-- Notion's ids of the properties of the boards: one row, or none until they are known.
--   ids: an object from names to ids
create table notion_property (
  id bool default true primary key check (id),
  ids jsonb not null,
  learned_at timestamptz not null
);

-- People whose board may be ranked although the brake stopped it, and until when.
create table notion_board_approval (
  user_id text primary key,
  expires_at timestamptz not null
);

-- The results of people's boards: figures of the last run, and totals of all runs.
--   looked_at: when the board was last read, or was to be read
--   has_left: Notion no longer returns a name for the user
--   swept_calls: calls that the sweep has counted for a run that has not ended; null when there is
--     none
--   owed_calls: how many more calls such runs made than the sweep had counted; negative for fewer
create table notion_user (
  user_id uuid primary key,
  looked_at timestamptz,
  last_end text check (last_end in ('ranked', 'partly', 'braked', 'refused', 'dead')),
  last_reason text,
  last_ended_at timestamptz,
  time_to_ready_ms float8,
  queue_wait_ms float8,
  run_ms float8,
  loaded int not null default 0,
  processed int not null default 0,
  updated int not null default 0,
  dropped int not null default 0,
  api_calls int not null default 0,
  runs bigint not null default 0,
  reruns bigint not null default 0,
  total_loaded bigint not null default 0,
  total_processed bigint not null default 0,
  total_updated bigint not null default 0,
  total_dropped bigint not null default 0,
  total_api_calls bigint not null default 0,
  has_left bool not null default false,
  swept_calls int,
  owed_calls int not null default 0
) with (fillfactor = 70);
create index notion_user_looked on notion_user (looked_at nulls first);
create index notion_user_owed on notion_user (user_id) where owed_calls <> 0;

-- The sweep of all boards. One row.
--   paid_until: until this time the sweep has used up its share of calls
--   scan_...: the scan through the whole data source, page by page of its query, in windows
--   scan_from: the creation time at which the window begins; null for the oldest page
--   scan_reached: the creation time of the newest page that was read
--   scan_is_capped: Notion does not return all pages of this window
--   scan_source: the data source that the scan reads
--   scan_closed: names of the statuses that close a task; null when no scan is under way
create table notion_sweep (
  id bool default true primary key check (id),
  paid_until timestamptz,
  scan_cursor text,
  scan_began_at timestamptz,
  scan_ended_at timestamptz,
  scan_is_whole bool not null default true,
  scan_from timestamptz,
  scan_reached timestamptz,
  scan_is_capped bool not null default false,
  scan_closed text[],
  scan_source text
);
insert into notion_sweep default values;

-- The page of a finished interview on a board. It has no foreign key to the conversation, because
-- the row stays until the page is in Notion's trash.
--   unseen_until: until then a query may not show the page that a create has made
--   failed_searches: how often the page was not found when it was to be removed
create table notion_review (
  id uuid primary key,
  conversation_id uuid unique,
  state text not null default 'wanted' check (state in ('wanted', 'creating', 'shown', 'removing')),
  owner_id uuid,
  page_id uuid unique,
  begun_at timestamptz,
  link_property text,
  title_digest text,
  shown_digest text,
  unseen_until timestamptz,
  failed_searches int not null default 0,
  constraint notion_review_check check (state <> 'shown' or page_id is not null),
  constraint notion_review_check1 check (state = 'removing' or conversation_id is not null)
);
