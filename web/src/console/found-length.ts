/**
 * Browsers record without a length. A player learns it when it is sent to a time far behind the end; until
 * then its time line does not work.
 */
export function findLength(
  player: Pick<
    HTMLAudioElement,
    'duration' | 'currentTime' | 'play' | 'addEventListener' | 'removeEventListener'
  >,
): void {
  if (player.duration !== Infinity) return;
  const onLength = (): void => {
    if (player.duration === Infinity) return;
    player.removeEventListener('durationchange', onLength);
    player.currentTime = 0;
    // It has stopped at the end.
    player.play().catch(() => undefined);
  };
  player.addEventListener('durationchange', onLength);
  player.currentTime = Number.MAX_SAFE_INTEGER;
}
