"""Pages to pictures, in a real browser that sees nothing but what we give it."""

from colbench.frontend.renderer.renderer import RENDERER_VERSION, Renderer, close_all, shared_renderer

__all__ = ["RENDERER_VERSION", "Renderer", "close_all", "shared_renderer"]
