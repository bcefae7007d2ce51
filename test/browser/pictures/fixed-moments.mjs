/**
 * Runs in the page before its scripts: each moment is written as one of two, whenever it was, so that the
 * pictures of today and of tomorrow are the same. The page calculates with the real ones.
 */
export function showFixedMoments() {
  const NOW = Date.UTC(2026, 10, 24, 10, 24);
  const LATER = Date.UTC(2026, 11, 1, 18, 0);
  const DAY_MS = 24 * 60 * 60 * 1000;
  const { prototype } = Intl.DateTimeFormat;
  const { get } = Object.getOwnPropertyDescriptor(prototype, 'format');
  const fixed = (moment) => (Number(moment ?? 0) > Date.now() + DAY_MS / 2 ? LATER : NOW);
  Object.defineProperty(prototype, 'format', {
    configurable: true,
    get() {
      const format = get.call(this);
      return (moment) => format(fixed(moment));
    },
  });
  const { formatToParts } = prototype;
  prototype.formatToParts = function (moment) {
    return formatToParts.call(this, fixed(moment));
  };
}
