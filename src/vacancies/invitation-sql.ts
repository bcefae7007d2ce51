/** The statements of Invitations. `$…::timestamptz` is the time of tests, null in production. */

/** No row: the PIN is another live invitation's. The hash of a token is never anybody else's. */
export const CREATE = `
insert into invitation (id, vacancy_id, candidate_id, token_hash, pin_key, expires_at, created_at)
values ($1, $2, $3, $4, $5,
  coalesce($6::timestamptz,
    coalesce($8::timestamptz, clock_timestamp()) + $7 * interval '1 millisecond'),
  coalesce($8::timestamptz, clock_timestamp()))
on conflict (pin_key) where revoked_at is null do nothing
returning expires_at`;

export const REVOKE = `
update invitation set revoked_at = coalesce($3::timestamptz, clock_timestamp())
where vacancy_id = $1 and candidate_id = $2 and revoked_at is null`;

const COLUMNS = `i.id, i.vacancy_id, i.candidate_id, i.expires_at, i.bound_to,
  (i.revoked_at is null and i.expires_at > coalesce($2::timestamptz, now())) as is_open`;

export const FIND_BY_TOKEN = `select ${COLUMNS} from invitation i where i.token_hash = $1`;

export const FIND_BY_PIN = `
select ${COLUMNS} from invitation i where i.pin_key = $1 and i.revoked_at is null`;

export const FIND_BOUND = `
select ${COLUMNS} from invitation i
where i.id = $1 and i.bound_to = $3 and i.revoked_at is null`;

export const FIND_OF_USERNAME = `
select ${COLUMNS} from invitation i join candidate c on c.id = i.candidate_id
where lower(c.telegram_username) = $1
  and i.revoked_at is null and i.expires_at > coalesce($2::timestamptz, now())
order by i.created_at desc, i.id desc limit $3`;

/** A second account waits for the first one's commit and then finds the row bound. */
export const BIND = `
update invitation set bound_to = $2
where id = $1 and (bound_to is null or bound_to = $2) returning id`;
