/** Which rows of the audit are shown. The address has it. */
import { beginningOf, dayFrom, endOf } from './days';

export interface AuditFilters {
  actor: string | null;
  action: string | null;
  /** An id: of a candidate, an interview, a vacancy, a colleague or a key. */
  subject: string | null;
  /** The first and the last day. */
  from: string | null;
  to: string | null;
}

/** As many characters as the server reads. */
const MAX_TEXT = 120;

/** What an address cannot mean is left out. */
export function auditFiltersOf(search: string): AuditFilters {
  const query = new URLSearchParams(search);
  const text = (name: string): string | null => {
    const value = (query.get(name) ?? '').slice(0, MAX_TEXT);
    return value === '' ? null : value;
  };
  return {
    actor: text('actor'),
    action: text('action'),
    subject: text('subject'),
    from: dayFrom(query.get('from')),
    to: dayFrom(query.get('to')),
  };
}

/** With its question mark; empty without filters. */
export function auditSearchOf(filters: AuditFilters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters) as [string, string | null][]) {
    if (value !== null) query.set(name, value);
  }
  const search = query.toString();
  return search === '' ? '' : `?${search}`;
}

/** The query of `GET /api/v1/audit`. */
export function auditQueryOf({ actor, action, subject, from, to }: AuditFilters): {
  actor?: string;
  action?: string;
  subjectId?: string;
  since?: string;
  until?: string;
} {
  return {
    ...(actor === null ? {} : { actor }),
    ...(action === null ? {} : { action }),
    ...(subject === null ? {} : { subjectId: subject }),
    ...(from === null ? {} : { since: beginningOf(from) }),
    ...(to === null ? {} : { until: endOf(to) }),
  };
}

/** Actions about a person, of whom nothing is found after an erasure. */
const ABOUT_PEOPLE =
  /^(transcript|recording|file|candidate|decision|rating|score|scorecard|comment|reminder|reply|interview)\./;

export function isAboutCandidate(action: string): boolean {
  return ABOUT_PEOPLE.test(action);
}
