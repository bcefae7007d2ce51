-- The address of the running application, so that commands make the same links. One row.
create table instance (
  is_only bool default true primary key check (is_only),
  public_url text not null,
  bot_name text,
  updated_at timestamptz not null
);
