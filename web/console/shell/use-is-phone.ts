import { useSyncExternalStore } from 'react';

/** The widest window in which tables are cards; the style sheets have the same measure. */
const PHONE = '(width < 48rem)';

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(PHONE);
      query.addEventListener('change', listener);
      return () => query.removeEventListener('change', listener);
    },
    () => matchMedia(PHONE).matches,
  );
}
