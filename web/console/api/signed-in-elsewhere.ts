/** Tells the other tabs of this browser that somebody has signed in, so that their dialogs close. */

/** One for the whole page: a channel does not hear what it says itself. */
const channel = new BroadcastChannel('colloquy.session');

export function tellSignedIn(): void {
  channel.postMessage('signed in');
}

export function onSignedInElsewhere(listener: () => void): () => void {
  channel.addEventListener('message', listener);
  return () => channel.removeEventListener('message', listener);
}
