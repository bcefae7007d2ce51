declare module 'subset-font' {
  /** Returns the font with the characters of `text` only. */
  export default function subsetFont(
    font: Uint8Array,
    text: string,
    options: {
      targetFormat: 'woff2';
      variationAxes?: Record<string, { min: number; max: number }>;
      noLayoutClosure?: boolean;
    },
  ): Promise<Uint8Array>;
}
