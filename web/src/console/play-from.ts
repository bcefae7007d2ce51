/**
 * Plays from this second on. Browsers record without a length, and a player learns it only when it is sent to a time
 * far behind the end; until then it goes to no other time.
 */
export function playFrom(
  player: Pick<
    HTMLAudioElement,
    'duration' | 'currentTime' | 'play' | 'addEventListener' | 'removeEventListener'
  >,
  seconds: number,
): void {
  const play = (): void => {
    player.currentTime = seconds;
    player.play().catch(() => undefined);
  };
  if (player.duration !== Infinity) {
    play();
    return;
  }
  const onLength = (): void => {
    if (player.duration === Infinity) return;
    player.removeEventListener('durationchange', onLength);
    play();
  };
  player.addEventListener('durationchange', onLength);
  player.currentTime = Number.MAX_SAFE_INTEGER;
}
