/** Requests of the live parts. They ask nobody for anything: when they fail, less is live. */
import createClient from 'openapi-fetch';
import type { paths } from '../../../tools/api-client/api.gen';

const quiet = createClient<paths>({ cache: 'no-store' });

/** Tells colleagues which interview this page shows; null: none. Sent also while the page is being left. */
export async function sayReading(tab: string, interviewId: string | null): Promise<void> {
  try {
    await quiet.PUT('/api/v1/team/reading', { body: { tab, interviewId }, keepalive: true });
  } catch {
    // The next sign says it.
  }
}

export function openTeamEvents(): EventSource {
  return new EventSource('/api/v1/team/events');
}
