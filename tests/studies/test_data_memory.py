"""What is kept in memory is kept for one place that data come from."""

from __future__ import annotations

from studies.data.memory import cached_by_data_location


def test_another_folder_is_another_result(monkeypatch):
    asked = []

    @cached_by_data_location()
    def read(name: str) -> str:
        asked.append(name)
        return name.upper()

    for folder in ("/one", "/one", "/two", "/one"):
        monkeypatch.setenv("COMPANION_DATA", folder)
        assert read("adult") == "ADULT"
    assert asked == ["adult", "adult"]
