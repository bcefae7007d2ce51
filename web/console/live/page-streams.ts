/** The streams of this page. */
import { browserPlatform } from '../../src/platform';
import { TabStreams } from './tab-streams';

let streams: TabStreams | null = null;

export function pageStreams(): TabStreams {
  if (streams !== null) return streams;
  const made = new TabStreams(browserPlatform);
  document.addEventListener('visibilitychange', () => made.visibilityChanged());
  streams = made;
  return made;
}
