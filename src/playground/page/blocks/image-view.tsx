/** Shows the alt text of an image. The page loads nothing from other origins. */
export function ImageView({ alt, title }: { alt: string; title?: string }) {
  return (
    <span class="picture" role="img" aria-label={alt}>
      🖼️ {title === undefined ? alt : `${title} (${alt})`}
    </span>
  );
}
