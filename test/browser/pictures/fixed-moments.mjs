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

/**
 * The same for pages with many moments, as far apart as they are: each is written as if `beganAt` had been one morning
 * of a November, to ten minutes, so that what happens within ten minutes of it has one time. The page's clock stands at
 * `now`, for what it says of the time since then. Both in milliseconds.
 */
export function showOneMorning({ beganAt, now }) {
  const SHOWN_MS = Date.UTC(2026, 10, 24, 10, 20);
  const STEP_MS = 10 * 60_000;
  const { prototype } = Intl.DateTimeFormat;
  const { get } = Object.getOwnPropertyDescriptor(prototype, 'format');
  const shown = (moment) =>
    SHOWN_MS + Math.floor((Number(moment ?? now) - beganAt) / STEP_MS) * STEP_MS;
  Object.defineProperty(prototype, 'format', {
    configurable: true,
    get() {
      const format = get.call(this);
      return (moment) => format(shown(moment));
    },
  });
  const { formatToParts } = prototype;
  prototype.formatToParts = function (moment) {
    return formatToParts.call(this, shown(moment));
  };
  globalThis.Date = new Proxy(Date, {
    construct: (real, given, made) =>
      Reflect.construct(real, given.length > 0 ? given : [now], made),
    get: (real, name) => (name === 'now' ? () => now : Reflect.get(real, name)),
  });
}
